namespace Throttled.AspNetCore.Tests.Browser;

/// <summary>
/// A test in the machine's Chromium, as Debian installs it. It is reported as skipped if there is none; on a build server (<c>CI=true</c>) it fails
/// instead.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BrowserFactAttribute : FactAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = BrowserTests.SkipReason;
}

/// <summary>A test with data in the machine's Chromium.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BrowserTheoryAttribute : TheoryAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = BrowserTests.SkipReason;
}

internal static class BrowserTests
{
    private const string Variable = "THROTTLED_CHROMIUM";

    internal static string Path { get; } = Environment.GetEnvironmentVariable(Variable) is { Length: > 0 } path ? path : "/usr/bin/chromium";

    internal static string? SkipReason { get; } = Environment.GetEnvironmentVariable("CI") == "true" || File.Exists(Path)
        ? null
        : $"Chromium is not installed on this machine: there is no {Path}. On Debian: apt-get install chromium. Elsewhere: name one in {Variable}.";
}
