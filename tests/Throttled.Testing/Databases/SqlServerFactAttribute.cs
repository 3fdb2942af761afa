namespace Throttled.Testing;

/// <summary>A test that needs SQL Server. It is reported as skipped if the environment names neither a server nor an image.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class SqlServerFactAttribute : FactAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = SqlServerTests.SkipReason;
}

/// <summary>A test with data that needs SQL Server.</summary>
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

    /// <summary>Whether the environment names a server. It may be another product that speaks the protocol.</summary>
    internal static bool IsNamed => Server is not null;

    /// <summary>
    /// The connection string of an administrator who may create databases and logins. If no server is named, a container of the
    /// image is started.
    /// </summary>
    internal static string ConnectionString => Server ?? Containers.SqlServerConnectionString;

    internal static string? SkipReason { get; } = IsNamed ? null
        : Containers.Named(Containers.SqlServerImage) is not null ? Containers.SkipReason(Containers.SqlServerImage)
        : $"'{Variable}' names no SQL Server, by the connection string of an administrator who may create databases and logins, and '{Containers.SqlServerImage}' no image to start one of.";
}
