namespace Throttled.Testing;

/// <summary>A test that needs SQL Server; skipped, visibly, where <c>THROTTLED_SQLSERVER</c> names none.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class SqlServerFactAttribute : FactAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = SqlServerTests.SkipReason;
}

/// <summary>The same for a test with data.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class SqlServerTheoryAttribute : TheoryAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = SqlServerTests.SkipReason;
}

internal static class SqlServerTests
{
    private const string Variable = "THROTTLED_SQLSERVER";

    /// <summary>How an administrator connects, who may create databases and logins; null where there is no server.</summary>
    internal static string? ConnectionString { get; } =
        Environment.GetEnvironmentVariable(Variable) is { } text && !string.IsNullOrWhiteSpace(text) ? text : null;

    internal static string? SkipReason { get; } = ConnectionString is null
        ? $"'{Variable}' names no SQL Server; it must be the connection string of an administrator who may create databases and logins."
        : null;
}
