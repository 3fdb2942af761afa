using System.Reflection;

namespace Throttled.Journal.Contract;

/// <summary>A test of the contract; skipped, visibly, where the database that it is held against is not on this machine.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ContractFactAttribute : FactAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = ContractTests.SkipReason;
}

/// <summary>The same for a test with data.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class ContractTheoryAttribute : TheoryAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = ContractTests.SkipReason;
}

/// <summary>Says against which database the contract in this assembly of tests is held; one that needs nothing is not named.</summary>
[AttributeUsage(AttributeTargets.Assembly)]
public sealed class ContractOnAttribute(ContractDatabase database) : Attribute
{
    public ContractDatabase Database => database;
}

/// <summary>A database that may not be there.</summary>
public enum ContractDatabase
{
    PostgreSql,
    SqlServer,
}

internal static class ContractTests
{
    // A test's attribute does not know the class that runs it; the assembly of its tests does, and there is one per process.
    internal static string? SkipReason { get; } = AppDomain.CurrentDomain.GetAssemblies()
        .Select(assembly => assembly.GetCustomAttribute<ContractOnAttribute>()).FirstOrDefault(on => on is not null)?.Database switch
    {
        null => null,
        ContractDatabase.PostgreSql => PostgreSqlTests.SkipReason,
        _ => SqlServerTests.SkipReason,
    };
}
