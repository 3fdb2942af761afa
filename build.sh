#!/usr/bin/env bash
# The repository's commands: shortcuts for plain dotnet. build.ps1 does the same.
set -euo pipefail
caller=$PWD
cd "$(dirname "$0")"

target=Throttled.slnf
filter='Category!=Long'
export DOTNET_NOLOGO=1 DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_CLI_UI_LANGUAGE=en

usage() {
    cat <<'TEXT'
./build.sh crush [arguments]          run the crush test
./build.sh test [options]             restore, build, test; the last line has the totals
./build.sh bench [arguments]          run the benchmarks
./build.sh bank-accounts [arguments]  run the sample of a read model of bank accounts
./build.sh shop [--with writer]       run the sample shop: actors, live streams, projections; writer is sql, linq2db, efcore or all
./build.sh twins [arguments]          run the sample of digital twins: nodes and databases as processes, reads and writes measured
./build.sh tool [arguments]           the command line: doctor, journal, tail, reshard, projections
./build.sh restore [--all]            restore the packages
./build.sh pack                       restore, and write nupkg and snupkg files to artifacts/

  --all          use the whole solution; the default, Throttled.slnf, leaves out the tests that need Akka.Persistence.TCK
  --long         also run the tests of category Long
  --only-long    run only the tests of category Long, except those of Throttled.Faults
  --only-faults  run only the tests of category Long of Throttled.Faults; THROTTLED_FAULTS adds a filter
TEXT
}

fail() {
    echo "error: $1" >&2
    exit "${2:-1}"
}

# If a source has only later versions than Directory.Packages.props, NuGet uses them (NU1603). One line names them.
restore() {
    local log later
    log=$(dotnet restore "$target" 2>&1) || { echo "$log"; fail "the packages could not be restored."; }
    later=$(sed -nE 's/.*NU1603: .* but (.+) was not found\. (.+) was resolved instead.*/\1: \2/p' <<<"$log" | LC_ALL=C sort -u | paste -sd, - | sed 's/,/, /g')
    [ -z "$later" ] || echo "The package sources lack these versions; later ones are used instead: $later"
}

# Without PGO, because a build is too short to regain the cost of instrumented code. Analyzers take half of the compiler's time: CI=true runs them.
build() { DOTNET_TieredPGO=0 dotnet build "$target" -c Release --no-restore -p:UseSharedCompilation=true -p:RunAnalyzers="${CI:-false}" -p:MSBuildWarningsAsMessages=NU1603; }

# The four longest assemblies start first.
assemblies() {
    tr -d '\r' <"$target" | grep -oE 'tests[\\/]+[^"]+\.csproj' | sed -E 's#\\+#/#g' | grep -v '/Throttled\.Testing/' | sort -u |
        sed -E 's#/([^/]+)\.csproj$#/bin/Release/net10.0/\1.dll#' | awk '/Databases|Faults|Projections|Tool/ { print; next } { rest = rest $0 "\n" } END { printf "%s", rest }'
}

# A line for each failed test, with the first lines of its message.
failures() {
    find "$results" -name '*.trx' -exec cat {} + | tr -d '\r' | awk '
        /<UnitTestResult / { name = ""; if (/outcome="Failed"/) { name = $0; sub(/.* testName="/, "", name); sub(/".*/, "", name) } }
        name != "" && /<Message>/ { text = ""; more = 3 }
        more > 0 {
            ended = sub(/<\/Message>.*/, ""); sub(/.*<Message>/, ""); text = text " " $0
            more -= 1
            if (ended || more == 0) { print "failed: " name ":" text; more = 0; name = "" }
        }
        name != "" && /<\/UnitTestResult>|<UnitTestResult [^>]*\/>/ { print "failed: " name; name = "" }'
}

run_tests() {
    local status=0 passed failed skipped
    restore
    build
    results=$(mktemp -d)
    trap 'rm -rf "$results"' EXIT
    # shellcheck disable=SC2046 # no path of an assembly has a space
    dotnet test $(assemblies) ${filter:+--filter "$filter"} --results-directory "$results" --logger 'trx;LogFilePrefix=results' \
        --blame-hang-timeout "${THROTTLED_HANG_TIMEOUT:-5m}" --blame-hang-dump-type none -- RunConfiguration.MaxCpuCount=3 || status=$?
    # "total" counts skipped tests; "executed" does not.
    read -r passed failed skipped < <(find "$results" -name '*.trx' -exec grep -hoE '<Counters [^>]*' {} + |
        sed -E 's/.* total="([0-9]+)" executed="([0-9]+)" passed="([0-9]+)".*/\1 \2 \3/' |
        awk '{ passed += $3; failed += $2 - $3; skipped += $1 - $2 } END { print passed + 0, failed + 0, skipped + 0 }')
    failures
    if [ $status -ne 0 ] && [ "$failed" -eq 0 ]; then
        echo "error: the test run ended with code $status though no test failed; it counts as one failure." >&2
        failed=1
    fi
    [ $((passed + failed)) -gt 0 ] || { echo "error: no test was executed." >&2; failed=1; }
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}

# dotnet run prints nothing while it builds, and the first build takes a minute.
run() {
    [ -f "$1/bin/Release/net10.0/${1##*/}.dll" ] || echo "Building, which takes a minute or two…" >&2
    exec dotnet run -c Release --project "$1" ${directory:+"-p:RunWorkingDirectory=$directory"} -- "${@:2}"
}

verb=${1:-}
[ $# -eq 0 ] || shift
case $verb in
    crush) run samples/CrushTest "$@" ;;
    bench) run benchmarks/Throttled.Benchmarks "$@" ;;
    bank-accounts) run samples/BankAccounts "$@" ;;
    shop) run samples/Shop "$@" ;;
    twins) run samples/DigitalTwins "$@" ;;
    # Its files are relative to the caller's directory.
    tool) directory=$caller run src/Throttled.Tool "$@" ;;
    test | restore | pack)
        for option in "$@"; do
            case $verb/$option in
                */-h | */--help) usage; exit ;;
                test/--all | restore/--all) target=Akka.Persistence.Query.Throttled.sln ;;
                test/--long) filter= ;;
                test/--only-long) filter='Category=Long&FullyQualifiedName!~Throttled.Faults' ;;
                test/--only-faults) filter="Category=Long&FullyQualifiedName~Throttled.Faults${THROTTLED_FAULTS:+&$THROTTLED_FAULTS}" ;;
                *) usage >&2; fail "$verb does not know '$option'." 2 ;;
            esac
        done
        case $verb in
            test) run_tests ;;
            restore) restore ;;
            # Versions of packages of packages are not pinned while packing; the tests' own do not restore everywhere without.
            pack) dotnet pack Throttled.Packages.slnf -c Release -o artifacts -p:UseSharedCompilation=true -p:MSBuildWarningsAsMessages=NU1603 ;;
        esac
        ;;
    '' | help | -h | --help) usage ;;
    *) usage >&2; fail "build.sh does not know '$verb'." 2 ;;
esac
