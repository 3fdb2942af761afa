#!/usr/bin/env pwsh
# The repository's commands: shortcuts for plain dotnet. build.sh does the same.
$ErrorActionPreference = 'Stop'
$PSNativeCommandUseErrorActionPreference = $false
$caller = (Get-Location).Path
Set-Location $PSScriptRoot

$target = 'Throttled.slnf'
$filter = 'Category!=Long'
$env:DOTNET_NOLOGO = $env:DOTNET_CLI_TELEMETRY_OPTOUT = '1'
$env:DOTNET_CLI_UI_LANGUAGE = 'en'

$usage = @'
./build.ps1 crush [arguments]          run the crush test
./build.ps1 test [options]             restore, build, test; the last line has the totals
./build.ps1 bench [arguments]          run the benchmarks
./build.ps1 bank-accounts [arguments]  run the sample of a read model of bank accounts
./build.ps1 shop [--with writer]       run the sample shop: actors, live streams, projections; writer is sql, linq2db, efcore or all
./build.ps1 twins [arguments]          run the sample of digital twins: nodes and databases as processes, reads and writes measured
./build.ps1 tool [arguments]           the command line: doctor, journal, tail, reshard, projections
./build.ps1 restore [--all]            restore the packages
./build.ps1 pack                       restore, and write nupkg and snupkg files to artifacts/

  --all          use the whole solution; the default, Throttled.slnf, leaves out the tests that need Akka.Persistence.TCK
  --long         also run the tests of category Long
  --only-long    run only the tests of category Long, except those of Throttled.Faults
  --only-faults  run only the tests of category Long of Throttled.Faults; THROTTLED_FAULTS adds a filter
'@

function Stop-Build([string] $message, [int] $code = 1) {
    [Console]::Error.WriteLine("error: $message")
    exit $code
}

# If a source has only later versions than Directory.Packages.props, NuGet uses them (NU1603). One line names them.
function Restore-Packages {
    $log = dotnet restore $target 2>&1 | Out-String -Width 4096
    if ($LASTEXITCODE -ne 0) { Write-Host $log; Stop-Build 'the packages could not be restored.' }
    $later = [regex]::Matches($log, 'NU1603: .*? but (.+?) was not found\. (.+?) was resolved instead') |
        ForEach-Object { "$($_.Groups[1]): $($_.Groups[2])" } | Sort-Object -Unique
    if ($later) { Write-Host "The package sources lack these versions; later ones are used instead: $($later -join ', ')" }
}

# The four longest assemblies start first.
function Get-Assemblies {
    $root = if ($target -like '*.slnf') { (Get-Content $target -Raw | ConvertFrom-Json).solution.projects } else { dotnet sln $target list }
    $root -replace '\\', '/' -match '^tests/.*\.csproj$' -notmatch '/Throttled\.Testing/' -replace '/([^/]+)\.csproj$', '/bin/Release/net10.0/$1.dll' |
        Sort-Object -Stable { $_ -notmatch 'Databases|Faults|Projections|Tool' }
}

function Invoke-Tests {
    Restore-Packages
    $env:DOTNET_TieredPGO = '0'
    # Analyzers take half of the compiler's time: CI=true runs them.
    $analyzers = if ($env:CI) { $env:CI } else { 'false' }
    dotnet build $target -c Release --no-restore -p:UseSharedCompilation=true -p:RunAnalyzers=$analyzers -p:MSBuildWarningsAsMessages=NU1603 | Out-Host
    if ($LASTEXITCODE -ne 0) { exit 1 }
    Remove-Item Env:DOTNET_TieredPGO
    $results = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
    $select = if ($filter) { '--filter', $filter }
    $hang = if ($env:THROTTLED_HANG_TIMEOUT) { $env:THROTTLED_HANG_TIMEOUT } else { '5m' }
    $passed = $failed = $skipped = 0
    try {
        dotnet test @(Get-Assemblies) @select --results-directory $results --logger 'trx;LogFilePrefix=results' `
            --blame-hang-timeout $hang --blame-hang-dump-type none -- RunConfiguration.MaxCpuCount=3 | Out-Host
        $status = $LASTEXITCODE
        foreach ($file in Get-ChildItem $results -Filter *.trx -Recurse -ErrorAction SilentlyContinue) {
            $run = ([xml](Get-Content $file -Raw)).TestRun
            foreach ($test in $run.Results.UnitTestResult | Where-Object outcome -eq 'Failed') {
                Write-Host "failed: $($test.testName): $(($test.Output.ErrorInfo.Message -split "`n" | Select-Object -First 3) -join ' ')"
            }
            $counters = $run.ResultSummary.Counters
            $passed += [int]$counters.passed
            $failed += [int]$counters.executed - [int]$counters.passed
            $skipped += [int]$counters.total - [int]$counters.executed
        }
    }
    finally { Remove-Item $results -Recurse -Force -ErrorAction SilentlyContinue }
    if ($status -ne 0 -and $failed -eq 0) {
        [Console]::Error.WriteLine("error: the test run ended with code $status though no test failed; it counts as one failure.")
        $failed = 1
    }
    if ($passed + $failed -eq 0) { [Console]::Error.WriteLine('error: no test was executed.'); $failed = 1 }
    Write-Host "$passed passed, $failed failed, $skipped skipped"
    exit [int]($failed -ne 0)
}

# dotnet run prints nothing while it builds, and the first build takes a minute.
function Invoke-Project([string] $project, [string] $directory) {
    if (-not (Test-Path "$project/bin/Release/net10.0/$(Split-Path -Leaf $project).dll")) { [Console]::Error.WriteLine('Building, which takes a minute or two...') }
    $place = @(if ($directory) { "-p:RunWorkingDirectory=$directory" })
    dotnet run -c Release --project $project @place -- @rest
    exit $LASTEXITCODE
}

$verb, $rest = $args
$rest = @($rest | Where-Object { $null -ne $_ })
if ($verb -in 'test', 'restore', 'pack') {
    foreach ($option in $rest) {
        switch ("$verb/$option") {
            { $option -in '-h', '--help' } { Write-Host $usage; exit 0 }
            { $_ -in 'test/--all', 'restore/--all' } { $target = 'Akka.Persistence.Query.Throttled.sln'; break }
            'test/--long' { $filter = $null }
            'test/--only-long' { $filter = 'Category=Long&FullyQualifiedName!~Throttled.Faults' }
            'test/--only-faults' { $filter = 'Category=Long&FullyQualifiedName~Throttled.Faults' + $(if ($env:THROTTLED_FAULTS) { "&$env:THROTTLED_FAULTS" }) }
            default { [Console]::Error.WriteLine($usage); Stop-Build "$verb does not know '$option'." 2 }
        }
    }
}
switch ($verb) {
    'crush' { Invoke-Project 'samples/CrushTest' }
    'bench' { Invoke-Project 'benchmarks/Throttled.Benchmarks' }
    'bank-accounts' { Invoke-Project 'samples/BankAccounts' }
    'shop' { Invoke-Project 'samples/Shop' }
    'twins' { Invoke-Project 'samples/DigitalTwins' }
    # Its files are relative to the caller's directory.
    'tool' { Invoke-Project 'src/Throttled.Tool' $caller }
    'test' { Invoke-Tests }
    'restore' { Restore-Packages }
    # Versions of packages of packages are not pinned while packing; the tests' own do not restore everywhere without.
    'pack' { dotnet pack Throttled.Packages.slnf -c Release -o artifacts -p:UseSharedCompilation=true -p:MSBuildWarningsAsMessages=NU1603; exit $LASTEXITCODE }
    { $_ -in $null, '', 'help', '-h', '--help' } { Write-Host $usage }
    default { [Console]::Error.WriteLine($usage); Stop-Build "build.ps1 does not know '$verb'." 2 }
}
