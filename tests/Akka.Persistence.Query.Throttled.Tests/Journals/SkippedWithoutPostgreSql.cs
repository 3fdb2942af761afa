using System.Reflection;
using Throttled.Journal.Contract;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>
/// Skips, visibly, the tests of a class whose journal needs PostgreSQL where that is not installed. The facts of Akka.NET's specs cannot be
/// given a <see cref="PostgreSqlFactAttribute"/>, and xunit 2 cannot skip a test that runs; but it asks for the order of a class's tests,
/// and takes others in their place.
/// </summary>
public sealed class SkippedWithoutPostgreSql(IMessageSink messages) : ITestCaseOrderer
{
    internal const string Type = "Akka.Persistence.Query.Throttled.Tests.Journals.SkippedWithoutPostgreSql";
    internal const string Assembly = "Akka.Persistence.Query.Throttled.Tests";

    private static readonly string? Reason = new PostgreSqlFactAttribute().Skip;

    public IEnumerable<TTestCase> OrderTestCases<TTestCase>(IEnumerable<TTestCase> testCases)
        where TTestCase : ITestCase =>
        Reason is null ? testCases : testCases.Select(each => IsOnPostgreSql(each) ? (TTestCase)(ITestCase)Skipped(each) : each);

    private SkippedTestCase Skipped(ITestCase test) => new(messages, test.TestMethod, test.TestMethodArguments, Reason);

    private static bool IsOnPostgreSql(ITestCase test)
    {
        var spec = test.TestMethod.TestClass.Class.ToRuntimeType().BaseType!;
        var journal = spec.GenericTypeArguments.Single(each => each.IsAssignableTo(typeof(IWrittenJournal)));
        return (bool)journal.GetProperty(nameof(IWrittenJournal.IsOnPostgreSql), BindingFlags.Public | BindingFlags.Static)!.GetValue(null)!;
    }

    // The same test to whoever started it: a test is known by its method and arguments.
    private sealed class SkippedTestCase : XunitTestCase
    {
        private readonly string? _reason;

        [Obsolete("Called by a deserializer, as xunit wants to have it.")]
        public SkippedTestCase()
        {
        }

        internal SkippedTestCase(IMessageSink messages, ITestMethod method, object[]? arguments, string? reason)
            : base(messages, TestMethodDisplay.ClassAndMethod, TestMethodDisplayOptions.None, method, arguments) => _reason = reason;

        // Read when the test is about to run; the constructor above has ended by then.
        protected override string GetSkipReason(IAttributeInfo factAttribute) => base.GetSkipReason(factAttribute) ?? _reason!;
    }
}
