namespace Throttled.Journal.SqlServer.Tests;

/// <summary>A test that needs a SQL Server. It is skipped without one, and on Babelfish for the given reason.</summary>
/// <param name="lack">The feature that the test needs and Babelfish lacks.</param>
[AttributeUsage(AttributeTargets.Method)]
public sealed class RealServerFactAttribute(string lack) : FactAttribute
{
    public string Lack => lack;

    /// <inheritdoc/>
    public override string? Skip { get; set; } = RealServer.SkipReason(lack);
}

/// <summary>The same for a test with data.</summary>
/// <param name="lack">The feature that the test needs and Babelfish lacks.</param>
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
