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

/// <summary>Says that the contract in this assembly of tests is held against PostgreSQL.</summary>
[AttributeUsage(AttributeTargets.Assembly)]
public sealed class ContractOnPostgreSqlAttribute : Attribute;

internal static class ContractTests
{
    // A test's attribute does not know the class that runs it; the assembly of its tests does, and there is one per process.
    internal static string? SkipReason { get; } =
        AppDomain.CurrentDomain.GetAssemblies().Any(assembly => assembly.IsDefined(typeof(ContractOnPostgreSqlAttribute), false))
            ? PostgreSqlTests.SkipReason
            : null;
}
