#!/usr/bin/env bash
# The repository's commands. Nothing here that plain dotnet cannot do.
set -euo pipefail
cd "$(dirname "$0")"

solution=Akka.Persistence.Query.Throttled.sln
filter=Throttled.slnf
target=$solution
left_out=
missing=
# What restoring says is read, so it has to be in English.
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_CLI_UI_LANGUAGE=en

usage() {
    cat <<'TEXT'
./build.sh test [--all] [--long | --only-long | --only-faults]
                                                 restore, build, test; the last line sums up
./build.sh crush [arguments]                     run the crush test
./build.sh crush-akka [arguments]                run the crush test with actors
./build.sh bank-accounts [arguments]             run the sample of projections
./build.sh bench [arguments]                     run the benchmarks
./build.sh reshard [arguments]                   divide a journal among databases
./build.sh pack [--all]                          nupkg and snupkg into artifacts/

  --all        fail where Akka's packages or SQL Server's driver are missing, instead of leaving out what needs them
  --long       run the tests of category Long too
  --only-long  run the tests of category Long alone, but for those of Throttled.Faults; to have none is no failure
  --only-faults
               run the tests of category Long of Throttled.Faults alone
TEXT
}

projects_in() { tr -d '\r' <"$1" | grep -oE '[A-Za-z0-9_.\\/]+\.csproj' | sed 's#[\\/]\{1,\}#/#g' | sort -u; }

# Names what the sources lack of what only the solution needs; prints nothing where restoring failed for any other reason, too.
missing_in() {
    local errors
    errors=$(grep -E ' error( [A-Z]+[0-9]+)? ?:' "$1") || return 0
    # A downgrade (NU1605) is no reason of its own: it follows from a package in another version than the wanted one (NU1603).
    if grep -qvE ' error NU(110[123]|160[35]):' <<<"$errors" || grep -qE "$(in_the_filter)" <<<"$errors"; then
        return 0
    fi
    {
        sed -nE 's/.* NU110[123]: Unable to find (a stable )?package ([^ ]+) with version \([>= ]*([^),]+).*/\2 \3/p; t
            s/.* NU110[123]: Unable to find package ([^ ]+)\. .*/\1/p' <<<"$errors"
        # What is wanted by a package that only stands in for the wanted one does not matter.
        grep ' NU1603: ' <<<"$errors" | grep -vFf <(sed -nE 's/.* not found\. (.+) was resolved instead.*/: \1 depends on /p' <<<"$errors") |
            sed -nE 's/.* but (.+) was not found.*/\1/p'
    } | LC_ALL=C sort -u | paste -sd, - | sed 's/,/, /g'
}

in_the_filter() { projects_in "$filter" | sed 's#.*/##; s#\.#\\.#g; s#.*#[\\\\/]&#' | paste -sd'|' -; }

restore() {
    local log
    log=$(mktemp)
    if dotnet restore "$solution" >"$log" 2>&1; then
        rm -f "$log"
        return
    fi
    missing=$(missing_in "$log") || true
    if [ -z "$missing" ]; then
        cat "$log" >&2
        rm -f "$log"
        exit 1
    fi
    rm -f "$log"
    if [ "$all" = yes ]; then
        echo "error: the package sources lack $missing, and --all forbids leaving out what needs it." >&2
        exit 1
    fi
    target=$filter
    left_out=$(comm -23 <(projects_in "$solution") <(projects_in "$filter") | sed 's#.*/##; s#\.csproj$##' | paste -sd' ' -)
    echo "The package sources lack $missing: $filter is used instead of the solution."
    dotnet restore "$filter"
}

name_what_was_left_out() {
    [ -z "$left_out" ] || echo "The package sources lack $missing: $filter was used instead of the solution. It leaves out $left_out"
}

# Sums the counters of all result files: "passed failed skipped". A skipped test is in the total, yet not executed.
count() {
    find "$1" -name '*.trx' -exec grep -hoE '<Counters [^>]*' {} + |
        sed -E 's/.* total="([0-9]+)" executed="([0-9]+)" passed="([0-9]+)".*/\1 \2 \3/' |
        awk '{ passed += $3; failed += $2 - $3; skipped += $1 - $2 } END { print passed + 0, failed + 0, skipped + 0 }'
}

run_tests() {
    local results status=0 passed failed skipped
    local select=()
    case $long in
        no) select=(--filter 'Category!=Long') ;;
        only) select=(--filter 'Category=Long&FullyQualifiedName!~Throttled.Faults') ;;
        faults) select=(--filter "Category=Long&FullyQualifiedName~Throttled.Faults${THROTTLED_FAULTS:+&$THROTTLED_FAULTS}") ;;
    esac
    restore
    dotnet build "$target" -c Release --no-restore
    results=$(mktemp -d)
    trap 'rm -rf "$results"' EXIT
    # One project at a time: the tests of a database and those of time want the machine for themselves.
    dotnet test "$target" -c Release --no-build -m:1 ${select[@]+"${select[@]}"} --results-directory "$results" \
        --logger 'trx;LogFilePrefix=results' --blame-hang-timeout "${THROTTLED_HANG_TIMEOUT:-5m}" \
        --blame-hang-dump-type none || status=$?
    read -r passed failed skipped < <(count "$results")
    rm -rf "$results"
    trap - EXIT
    if [ $status -ne 0 ] && [ "$failed" -eq 0 ]; then
        echo "error: the test run ended with code $status though no test failed; that is counted as one failure." >&2
        failed=1
    fi
    if [ $((passed + failed)) -eq 0 ] && [ "$long" = no ]; then
        echo "error: no test was executed." >&2
        status=1
    fi
    name_what_was_left_out
    [ "$failed" -eq 0 ] || status=1
    echo "$passed passed, $failed failed, $skipped skipped"
    return $status
}

# Building says nothing by itself, and takes a minute the first time.
run() {
    local project=$1
    shift
    [ -d "$project/bin/Release" ] || echo "Building…" >&2
    exec dotnet run -c Release --project "$project" -- "$@"
}

verb=${1:-}
[ $# -eq 0 ] || shift
case $verb in
    test | pack)
        all=no
        long=no
        for option in "$@"; do
            case $verb/$option in
                */--all) all=yes ;;
                test/--long) long=yes ;;
                test/--only-long) long=only ;;
                test/--only-faults) long=faults ;;
                *)
                    echo "error: $verb does not know '$option'." >&2
                    usage >&2
                    exit 2
                    ;;
            esac
        done
        if [ "$verb" = test ]; then
            run_tests
        else
            restore
            dotnet pack "$target" -c Release --no-restore -o artifacts
            name_what_was_left_out
        fi
        ;;
    crush)
        project=samples/CrushTest
        case " $* " in *' --database sqlserver '* | *' --database=sqlserver '* | *' --database:sqlserver '*) project=$project.SqlServer ;; esac
        run "$project" "$@"
        ;;
    crush-akka) run samples/CrushTest.Akka "$@" ;;
    bank-accounts) run samples/BankAccounts "$@" ;;
    reshard) run src/Throttled.Reshard "$@" ;;
    bench)
        project=benchmarks/Throttled.Benchmarks
        case ${1:-} in throttler | crush-akka) project=$project.Akka ;; esac
        run "$project" "$@"
        ;;
    '' | help | -h | --help) usage ;;
    *)
        echo "error: build.sh does not know '$verb'." >&2
        usage >&2
        exit 2
        ;;
esac
