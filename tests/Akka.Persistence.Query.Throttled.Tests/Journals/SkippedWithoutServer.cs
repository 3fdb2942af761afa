using System.Reflection;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>
/// Skips, visibly, the tests of a class whose journal needs a missing server. The facts of Akka.NET's specs cannot have a
/// <see cref="PostgreSqlFactAttribute"/> or <see cref="SqlServerFactAttribute"/>, and xunit 2 cannot skip a running test. But xunit calls this
/// class for the order of the tests, and accepts other tests in their place.
/// </summary>
public sealed class SkippedWithoutServer(IMessageSink messages) : ITestCaseOrderer
{
    internal const string Type = "Akka.Persistence.Query.Throttled.Tests.Journals.SkippedWithoutServer";
    internal const string Assembly = ThisAssembly.Name;

    public IEnumerable<TTestCase> OrderTestCases<TTestCase>(IEnumerable<TTestCase> testCases)
        where TTestCase : ITestCase =>
        testCases.Select(each => Reason(each) is { } reason ? (TTestCase)(ITestCase)Skipped(each, reason) : each);

    private SkippedTestCase Skipped(ITestCase test, string reason) => new(messages, test.TestMethod, test.TestMethodArguments, reason);

    private static string? Reason(ITestCase test)
    {
        var spec = test.TestMethod.TestClass.Class.ToRuntimeType().BaseType!;
        var journal = spec.GenericTypeArguments.Single(each => each.IsAssignableTo(typeof(IWrittenJournal)));
        return (string?)journal.GetProperty(nameof(IWrittenJournal.SkipReason), BindingFlags.Public | BindingFlags.Static)!.GetValue(null);
    }

    // The test runner sees the same test: it identifies a test by its method and arguments.
    private sealed class SkippedTestCase : XunitTestCase
    {
        private readonly string? _reason;

        [Obsolete("Called by the deserializer of xunit.")]
        public SkippedTestCase()
        {
        }

        internal SkippedTestCase(IMessageSink messages, ITestMethod method, object[]? arguments, string? reason)
            : base(messages, TestMethodDisplay.ClassAndMethod, TestMethodDisplayOptions.None, method, arguments) => _reason = reason;

        // Called when the test is about to run, so after the constructor above has ended.
        protected override string GetSkipReason(IAttributeInfo factAttribute) => base.GetSkipReason(factAttribute) ?? _reason!;
    }
}
