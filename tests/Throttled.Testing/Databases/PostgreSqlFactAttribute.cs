namespace Throttled.Testing;

/// <summary>
/// A test that needs PostgreSQL's server on this machine; skipped, visibly, where it is not installed. On a build server
/// (<c>CI=true</c>) it runs and fails instead.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class PostgreSqlFactAttribute : FactAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = PostgreSqlTests.SkipReason;
}

/// <summary>The same for a test with data.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class PostgreSqlTheoryAttribute : TheoryAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = PostgreSqlTests.SkipReason;
}

internal static class PostgreSqlTests
{
    internal static string? SkipReason { get; } =
        PostgreSqlServer.IsInstalled || Environment.GetEnvironmentVariable("CI") == "true"
            ? null
            : "PostgreSQL's server is not installed on this machine.";
}
