namespace Akka.Persistence.Query.Throttled.Tests;

/// <summary>How long Akka.NET's test kits wait for what they expect: generously, as only a test that fails uses it up.</summary>
internal static class Patience
{
    internal const string Hocon = "akka.test { single-expect-default = 60s, default-timeout = 60s, filter-leeway = 60s }";
}
