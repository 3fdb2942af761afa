using System.Reflection;
using Xunit.Sdk;

namespace Throttled.Faults.Projections.Bank;

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
