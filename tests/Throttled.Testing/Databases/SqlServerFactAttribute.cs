namespace Throttled.Testing;

/// <summary>A test that needs SQL Server; skipped, visibly, where the environment names neither one nor an image.</summary>
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

    private static readonly string? Server = Containers.Named(Variable);

    /// <summary>Whether a server is named, which may be another that speaks the language; otherwise it is that of an image.</summary>
    internal static bool IsNamed => Server is not null;

    /// <summary>How an administrator connects, who may create databases and logins. Where no server is named, one is started from the image.</summary>
    internal static string ConnectionString => Server ?? Containers.SqlServerConnectionString;

    internal static string? SkipReason { get; } = IsNamed ? null
        : Containers.Named(Containers.SqlServerImage) is not null ? Containers.SkipReason(Containers.SqlServerImage)
        : $"'{Variable}' names no SQL Server, by the connection string of an administrator who may create databases and logins, and '{Containers.SqlServerImage}' no image to start one of.";
}
