namespace Akka.Persistence.Query.Throttled.Tests;

/// <summary>Long timeouts for Akka.NET, because only a failing test waits for them.</summary>
internal static class AkkaTimeouts
{
    internal const string Hocon = """
        akka.test { single-expect-default = 60s, default-timeout = 60s, filter-leeway = 60s }
        akka.persistence.journal-plugin-fallback { recovery-event-timeout = 60s, circuit-breaker.call-timeout = 60s }
        akka.persistence.snapshot-store-plugin-fallback.circuit-breaker.call-timeout = 60s
        """;
}
