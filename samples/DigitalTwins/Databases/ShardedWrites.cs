using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using DigitalTwins.Nodes;

namespace DigitalTwins.Databases;

/// <summary>The sharded write journal of a node: Akka.Persistence.Sql for each database.</summary>
internal static class ShardedWrites
{
    private const string Path = "akka.persistence.journal";

    internal static AkkaConfigurationBuilder WithDeviceJournal(this AkkaConfigurationBuilder akka, NodeSettings settings)
    {
        akka.AddHocon("akka.persistence.max-concurrent-recoveries = 16, akka.persistence.snapshot-store.plugin = akka.persistence.snapshot-store.inmem", HoconAddMode.Prepend);
        for (var shard = 0; shard < settings.Journals.Length; shard++)
            akka.AddHocon(Plugin(shard, settings), HoconAddMode.Prepend);
        return akka.WithShardedJournal([.. settings.Journals.Select((_, shard) => $"{Path}.shard-{shard}")]);
    }

    // The pool has room for the writers and for the recoveries.
    private static string Plugin(int shard, NodeSettings settings) =>
        $$"""
        {{Path}}.shard-{{shard}} {
          class = "Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql"
          connection-string = "{{settings.Journals[shard]}};Maximum Pool Size={{settings.Writers + 20}}"
          provider-name = PostgreSQL.15
          auto-initialize = off
          parallelism = {{settings.Writers}}
          batch-size = {{settings.Batch}}
        }
        """;
}
