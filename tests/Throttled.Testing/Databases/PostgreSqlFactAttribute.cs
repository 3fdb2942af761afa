namespace Throttled.Testing;

/// <summary>
/// A test that needs a PostgreSQL server, of this machine or of an image. It is reported as skipped if there is none; on a build server
/// (<c>CI=true</c>) it fails instead.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class PostgreSqlFactAttribute : FactAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = PostgreSqlTests.SkipReason;
}

/// <summary>A test with data that needs a PostgreSQL server.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class PostgreSqlTheoryAttribute : TheoryAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = PostgreSqlTests.SkipReason;
}

internal static class PostgreSqlTests
{
    /// <summary>Why there is no server to start; null if there is one.</summary>
    internal static string? Absence { get; } = Containers.Named(Containers.PostgreSqlImage) is not null
        ? Containers.SkipReason(Containers.PostgreSqlImage)
        : PostgreSqlCommands.FindDirectory() is null ? "PostgreSQL's server is not installed on this machine." : null;

    internal static string? SkipReason { get; } = Environment.GetEnvironmentVariable("CI") == "true" ? null : Absence;
}
