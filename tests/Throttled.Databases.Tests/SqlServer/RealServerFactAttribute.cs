using Throttled.Testing;

namespace Throttled.Journal.SqlServer.Tests;

/// <summary>A test that needs SQL Server itself; skipped, visibly, without one, and on Babelfish for the reason that is given.</summary>
/// <param name="lack">What Babelfish does not have of what it needs.</param>
[AttributeUsage(AttributeTargets.Method)]
public sealed class RealServerFactAttribute(string lack) : FactAttribute
{
    public string Lack => lack;

    /// <inheritdoc/>
    public override string? Skip { get; set; } = RealServer.SkipReason(lack);
}

/// <summary>The same for a test with data.</summary>
/// <param name="lack">What Babelfish does not have of what it needs.</param>
[AttributeUsage(AttributeTargets.Method)]
public sealed class RealServerTheoryAttribute(string lack) : TheoryAttribute
{
    public string Lack => lack;

    /// <inheritdoc/>
    public override string? Skip { get; set; } = RealServer.SkipReason(lack);
}

internal static class RealServer
{
    internal static string? SkipReason(string lack) =>
        SqlServerTests.SkipReason ?? (TestServer.IsBabelfish ? $"The server is Babelfish: {lack}" : null);
}
