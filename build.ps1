#!/usr/bin/env pwsh
# The repository's commands. Nothing here that plain dotnet cannot do. See build.sh, which is its twin.
$ErrorActionPreference = 'Stop'
$PSNativeCommandUseErrorActionPreference = $false
Set-Location $PSScriptRoot

$solution = 'Akka.Persistence.Query.Throttled.sln'
$filter = 'Throttled.slnf'
$script:target = $solution
$script:leftOut = $null
$script:missing = $null
$env:DOTNET_NOLOGO = '1'
$env:DOTNET_CLI_TELEMETRY_OPTOUT = '1'
# What restoring says is read, so it has to be in English.
$env:DOTNET_CLI_UI_LANGUAGE = 'en'

function Show-Usage {
    @'
./build.ps1 test [--all] [--long | --only-long | --only-faults]
                                                  restore, build, test; the last line sums up
./build.ps1 crush [arguments]                     run the crush test
./build.ps1 crush-akka [arguments]                run the crush test with actors
./build.ps1 bank-accounts [arguments]             run the sample of projections
./build.ps1 bench [arguments]                     run the benchmarks
./build.ps1 reshard [arguments]                   divide a journal among databases
./build.ps1 pack [--all]                          nupkg and snupkg into artifacts/

  --all        fail where Akka's packages or SQL Server's driver are missing, instead of leaving out what needs them
  --long       run the tests of category Long too
  --only-long  run the tests of category Long alone, but for those of Throttled.Faults; to have none is no failure
  --only-faults
               run the tests of category Long of Throttled.Faults alone
'@ | Out-Host
}

function Stop-Build([string] $message, [int] $code = 1) {
    [Console]::Error.WriteLine("error: $message")
    exit $code
}

function Get-Projects([string] $file) {
    [regex]::Matches((Get-Content $file -Raw), '[\w.\\/]+\.csproj') |
        ForEach-Object { ($_.Value -split '[\\/]+')[-1] -replace '\.csproj$' } | Sort-Object -Unique
}

# Names what the sources lack of what only the solution needs; null where restoring failed for any other reason, too.
function Get-Missing([string] $log) {
    $errors = @($log -split '\r?\n' -match ' error( [A-Z]+[0-9]+)? ?:')
    $kept = (Get-Projects $filter | ForEach-Object { '[\\/]' + [regex]::Escape("$_.csproj") }) -join '|'
    # A downgrade (NU1605) is no reason of its own: it follows from a package in another version than the wanted one (NU1603).
    if ($errors -notmatch ' error NU(110[123]|160[35]):' -or $errors -match $kept) { return }
    $lacking = $errors -match ' NU110[123]: ' | ForEach-Object {
        if ($_ -match 'Unable to find (?:a stable )?package (\S+) with version \([>= ]*([^),]+)') { "$($Matches[1]) $($Matches[2])" }
        elseif ($_ -match 'Unable to find package (\S+)\. ') { $Matches[1] }
    }
    # What is wanted by a package that only stands in for the wanted one does not matter.
    $standIns = $errors | ForEach-Object { if ($_ -match ' NU1603: .* not found\. (.+) was resolved instead') { $Matches[1] } }
    $others = $errors | ForEach-Object {
        if ($_ -match ' NU1603: (?:.*: )?(.+) depends on .* but (.+) was not found' -and $Matches[1] -notin $standIns) { $Matches[2] }
    }
    (@($lacking) + @($others) | Where-Object { $_ } | Sort-Object -Unique) -join ', '
}

function Restore-Packages {
    $log = dotnet restore $solution 2>&1 | Out-String -Width 4096
    if ($LASTEXITCODE -eq 0) { return }
    $script:missing = Get-Missing $log
    if (-not $script:missing) { Write-Host $log; exit 1 }
    if ($script:all) { Stop-Build "the package sources lack $script:missing, and --all forbids leaving out what needs it." }
    $script:target = $filter
    $kept = Get-Projects $filter
    $script:leftOut = (Get-Projects $solution | Where-Object { $_ -notin $kept }) -join ' '
    Write-Host "The package sources lack ${script:missing}: $filter is used instead of the solution."
    dotnet restore $filter | Out-Host
    if ($LASTEXITCODE -ne 0) { exit 1 }
}

function Show-LeftOut {
    if ($script:leftOut) {
        Write-Host "The package sources lack ${script:missing}: $filter was used instead of the solution. It leaves out $script:leftOut"
    }
}

function Invoke-Tests {
    Restore-Packages
    dotnet build $script:target -c Release --no-restore | Out-Host
    if ($LASTEXITCODE -ne 0) { exit 1 }
    $results = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
    $more = if ($env:THROTTLED_FAULTS) { "&$env:THROTTLED_FAULTS" }
    $select = switch ($script:long) {
        'no' { '--filter', 'Category!=Long' }
        'only' { '--filter', 'Category=Long&FullyQualifiedName!~Throttled.Faults' }
        'faults' { '--filter', "Category=Long&FullyQualifiedName~Throttled.Faults$more" }
    }
    $hang = if ($env:THROTTLED_HANG_TIMEOUT) { $env:THROTTLED_HANG_TIMEOUT } else { '5m' }
    $passed = $failed = $skipped = 0
    try {
        # One project at a time: the tests of a database and those of time want the machine for themselves.
        dotnet test $script:target -c Release --no-build -m:1 @select --results-directory $results `
            --logger 'trx;LogFilePrefix=results' --blame-hang-timeout $hang --blame-hang-dump-type none | Out-Host
        $status = $LASTEXITCODE
        foreach ($file in Get-ChildItem $results -Filter *.trx -Recurse -ErrorAction SilentlyContinue) {
            $counters = ([xml](Get-Content $file -Raw)).TestRun.ResultSummary.Counters
            $passed += [int]$counters.passed
            $failed += [int]$counters.executed - [int]$counters.passed
            $skipped += [int]$counters.total - [int]$counters.executed
        }
    }
    finally { Remove-Item $results -Recurse -Force -ErrorAction SilentlyContinue }
    if ($status -ne 0 -and $failed -eq 0) {
        [Console]::Error.WriteLine("error: the test run ended with code $status though no test failed; that is counted as one failure.")
        $failed = 1
    }
    if ($passed + $failed -eq 0 -and $script:long -eq 'no') {
        [Console]::Error.WriteLine('error: no test was executed.')
        $status = 1
    }
    Show-LeftOut
    Write-Host "$passed passed, $failed failed, $skipped skipped"
    exit $(if ($failed -ne 0 -or $status -ne 0) { 1 } else { 0 })
}

# Building says nothing by itself, and takes a minute the first time.
function Invoke-Project([string] $project) {
    if (-not (Test-Path "$project/bin/Release")) { [Console]::Error.WriteLine('Building...') }
    dotnet run -c Release --project $project -- @rest
    exit $LASTEXITCODE
}

$verb, $rest = $args
$rest = @($rest | Where-Object { $null -ne $_ })
$script:all = $false
$script:long = 'no'
if ($verb -in 'test', 'pack') {
    foreach ($option in $rest) {
        if ($option -eq '--all') { $script:all = $true }
        elseif ($verb -eq 'test' -and $option -eq '--long') { $script:long = 'yes' }
        elseif ($verb -eq 'test' -and $option -eq '--only-long') { $script:long = 'only' }
        elseif ($verb -eq 'test' -and $option -eq '--only-faults') { $script:long = 'faults' }
        else { Show-Usage; Stop-Build "$verb does not know '$option'." 2 }
    }
}
switch ($verb) {
    'test' { Invoke-Tests }
    'pack' {
        Restore-Packages
        dotnet pack $script:target -c Release --no-restore -o artifacts
        $code = $LASTEXITCODE
        Show-LeftOut
        exit $code
    }
    'crush' {
        $isSqlServer = " $rest " -match ' --database[ =:]sqlserver '
        Invoke-Project ('samples/CrushTest' + $(if ($isSqlServer) { '.SqlServer' }))
    }
    'crush-akka' { Invoke-Project 'samples/CrushTest.Akka' }
    'bank-accounts' { Invoke-Project 'samples/BankAccounts' }
    'reshard' { Invoke-Project 'src/Throttled.Reshard' }
    'bench' {
        $project = 'benchmarks/Throttled.Benchmarks' + $(if ($rest -and $rest[0] -in 'throttler', 'crush-akka') { '.Akka' })
        Invoke-Project $project
    }
    { $_ -in $null, 'help', '-h', '--help' } { Show-Usage }
    default {
        [Console]::Error.WriteLine("error: build.ps1 does not know '$verb'.")
        Show-Usage
        exit 2
    }
}
