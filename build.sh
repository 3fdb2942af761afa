#!/usr/bin/env bash
# The repository's commands. Nothing here that plain dotnet cannot do.
set -euo pipefail
cd "$(dirname "$0")"

solution=Akka.Persistence.Query.Throttled.sln
filter=Throttled.slnf
target=$solution
left_out=
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1

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

  --all        fail where Akka's packages are missing, instead of leaving out what needs them
  --long       run the tests of category Long too
  --only-long  run the tests of category Long alone, but for those of Throttled.Faults; to have none is no failure
  --only-faults
               run the tests of category Long of Throttled.Faults alone
TEXT
}

projects_in() { tr -d '\r' <"$1" | grep -oE '[A-Za-z0-9_.\\/]+\.csproj' | sed 's#[\\/]\{1,\}#/#g' | sort -u; }

restore() {
    local log missing
    log=$(mktemp)
    if dotnet restore "$solution" >"$log" 2>&1; then
        rm -f "$log"
        return
    fi
    missing=$(grep -oE "NU110[12]: Unable to find package Akka[A-Za-z0-9.]*" "$log" | sed 's/.* //; s/\.$//' | sort -u | paste -sd' ' -) || true
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
    [ -z "$left_out" ] || echo "Left out, for want of Akka's packages: $left_out"
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
    crush) run samples/CrushTest "$@" ;;
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
