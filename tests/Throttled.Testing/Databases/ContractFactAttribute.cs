using System.Reflection;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace Throttled.Testing;

/// <summary>
/// A test of a contract. It is reported as skipped if the database of its class is missing. The class, or the type of its
/// first constructor parameter, names that database with <see cref="ContractOnAttribute"/>.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
[XunitTestCaseDiscoverer("Throttled.Testing.ContractFactDiscoverer", "Throttled.Testing")]
public sealed class ContractFactAttribute : FactAttribute;

/// <summary>
/// A test of a contract with data. On a database server, only a few of its rows are quick; the others have the category Long.
/// In a file, all rows are quick.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
[XunitTestCaseDiscoverer("Throttled.Testing.ContractTheoryDiscoverer", "Throttled.Testing")]
public sealed class ContractTheoryAttribute : TheoryAttribute;

/// <summary>Names the database that the tests of a class need, on the class or on the host that its constructor takes.</summary>
[AttributeUsage(AttributeTargets.Class)]
public sealed class ContractOnAttribute(ContractDatabase database) : Attribute
{
    public ContractDatabase Database => database;

    internal string? SkipReason => database == ContractDatabase.PostgreSql ? PostgreSqlTests.SkipReason : SqlServerTests.SkipReason;

    internal static ContractOnAttribute? Of(ITestMethod test)
    {
        var type = test.TestClass.Class.ToRuntimeType();
        var host = type.GetConstructors().SelectMany(constructor => constructor.GetParameters()).FirstOrDefault()?.ParameterType;
        return type.GetCustomAttribute<ContractOnAttribute>() ?? host?.GetCustomAttribute<ContractOnAttribute>();
    }
}

/// <summary>A database that may be missing on this machine.</summary>
public enum ContractDatabase
{
    PostgreSql,
    SqlServer,
}

/// <summary>Finds facts of a contract, and skips those whose database is missing.</summary>
public sealed class ContractFactDiscoverer(IMessageSink messages) : FactDiscoverer(messages)
{
    /// <inheritdoc/>
    protected override IXunitTestCase CreateTestCase(
        ITestFrameworkDiscoveryOptions discoveryOptions, ITestMethod testMethod, IAttributeInfo factAttribute) =>
        ContractOnAttribute.Of(testMethod)?.SkipReason is { } reason
            ? Skipped.Case(DiagnosticMessageSink, discoveryOptions, testMethod, reason)
            : base.CreateTestCase(discoveryOptions, testMethod, factAttribute);
}

/// <summary>Finds theories of a contract, skips those whose database is missing, and decides which rows are quick.</summary>
public sealed class ContractTheoryDiscoverer(IMessageSink messages) : TheoryDiscoverer(messages)
{
    private const int QuickRows = 3;

    /// <inheritdoc/>
    public override IEnumerable<IXunitTestCase> Discover(
        ITestFrameworkDiscoveryOptions discoveryOptions, ITestMethod testMethod, IAttributeInfo theoryAttribute)
    {
        var on = ContractOnAttribute.Of(testMethod);
        if (on?.SkipReason is { } reason)
            return [Skipped.Case(DiagnosticMessageSink, discoveryOptions, testMethod, reason)];
        var rows = base.Discover(discoveryOptions, testMethod, theoryAttribute).ToList();
        if (on is not null)
        {
            for (var row = 0; row < rows.Count; row++)
                if (!IsQuick(row, rows.Count))
                    rows[row].Traits["Category"] = ["Long"];
        }
        return rows;
    }

    // Take distant rows with a growing offset, because the last value of a row changes from row to row.
    private static bool IsQuick(int row, int rows) =>
        rows <= QuickRows || Enumerable.Range(0, QuickRows).Any(place => ((place * rows / QuickRows) + place) % rows == row);
}

internal static class Skipped
{
    internal static IXunitTestCase Case(IMessageSink messages, ITestFrameworkDiscoveryOptions options, ITestMethod test, string reason) =>
        new XunitSkippedDataRowTestCase(messages, options.MethodDisplayOrDefault(), options.MethodDisplayOptionsOrDefault(), test, reason);
}
