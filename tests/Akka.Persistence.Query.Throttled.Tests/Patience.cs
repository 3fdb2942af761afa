namespace Akka.Persistence.Query.Throttled.Tests;

/// <summary>How long Akka.NET waits for what is expected of it: generously, because only a test that fails uses it up.</summary>
internal static class Patience
{
    internal const string Hocon = """
        akka.test { single-expect-default = 60s, default-timeout = 60s, filter-leeway = 60s }
        akka.persistence.journal-plugin-fallback { recovery-event-timeout = 60s, circuit-breaker.call-timeout = 60s }
        akka.persistence.snapshot-store-plugin-fallback.circuit-breaker.call-timeout = 60s
        """;
}
