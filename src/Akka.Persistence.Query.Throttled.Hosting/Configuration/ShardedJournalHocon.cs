using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Hosting.Configuration;

/// <summary>The section of the sharded write journal.</summary>
internal static class ShardedJournalHocon
{
    private static readonly string ClassName = $"{typeof(ShardedWriteJournal).FullName}, {typeof(ShardedWriteJournal).Assembly.GetName().Name}";

    /// <param name="shards">The paths of the write plugins.</param>
    /// <param name="slices">The slices of each; null to divide them evenly.</param>
    /// <returns>The section at its path, and that it is the application's write journal.</returns>
    internal static Config Section(IEnumerable<string> shards, IEnumerable<string>? slices) => ConfigurationFactory.ParseString(
        $$"""
        akka.persistence.journal.plugin = "{{WriteShards.Identifier}}"
        {{WriteShards.Identifier}} {
          class = "{{ClassName}}"
          shards = {{List(shards)}}
          {{(slices is null ? "" : $"slices = {List(slices)}")}}
        }
        """);

    internal static string List(IEnumerable<string> texts) => $"[{string.Join(", ", texts.Select(text => text.ToHocon()))}]";
}
