using Xunit.Abstractions;

[assembly: TestCollectionOrderer("Akka.Persistence.Query.Throttled.Tests.FaultsFirst", "Akka.Persistence.Query.Throttled.Tests")]

namespace Akka.Persistence.Query.Throttled.Tests;

/// <summary>Starts the tests first that wait longest for stopped servers, so the other tests run in the meantime.</summary>
public sealed class FaultsFirst : ITestCollectionOrderer
{
    public IEnumerable<ITestCollection> OrderTestCollections(IEnumerable<ITestCollection> testCollections) =>
        testCollections.OrderBy(each => each.DisplayName == Journals.OnPostgreSql.Name || each.DisplayName.Contains(".Tests.Faults.", StringComparison.Ordinal) ? 0 : 1);
}
