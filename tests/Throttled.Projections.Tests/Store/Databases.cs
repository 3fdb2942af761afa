using System.Reflection;
using Xunit.Sdk;

namespace Throttled.Projections.Tests.Store;

/// <summary>Runs a theory on SQLite.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class OnSqliteAttribute : DataAttribute
{
    internal const string Name = "SQLite";

    /// <inheritdoc/>
    public override IEnumerable<object[]> GetData(MethodInfo testMethod) => [[Name]];
}

/// <summary>Runs a theory on PostgreSQL; skipped, visibly, if its server is not on this machine.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class OnPostgreSqlAttribute : DataAttribute
{
    internal const string Name = "PostgreSQL";

    /// <inheritdoc/>
    public override string? Skip { get; set; } = new PostgreSqlFactAttribute().Skip;

    /// <inheritdoc/>
    public override IEnumerable<object[]> GetData(MethodInfo testMethod) => [[Name]];
}

/// <summary>Runs a theory on SQL Server; skipped, visibly, if the environment names neither a server nor an image.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class OnSqlServerAttribute : DataAttribute
{
    internal const string Name = "SQL Server";

    /// <inheritdoc/>
    public override string? Skip { get; set; } = new SqlServerFactAttribute().Skip;

    /// <inheritdoc/>
    public override IEnumerable<object[]> GetData(MethodInfo testMethod) => [[Name]];
}
