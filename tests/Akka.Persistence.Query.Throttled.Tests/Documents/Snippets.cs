using System.Data.Common;
using Akka.Actor;
using Akka.Actor.Setup;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Journal;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Akka.Persistence.Sql.Config;
using Akka.Streams;
using LinqToDB;
using LinqToDB.DataProvider.PostgreSQL;
using Microsoft.Extensions.DependencyInjection;
using Npgsql;

namespace Akka.Persistence.Query.Throttled.Tests.Documents;

/// <summary>Code of the documentation that is in no sample. It is compiled, and a convention test compares it with the pages.</summary>
internal static class Snippets
{
    internal interface IEvent;

    internal interface IStore
    {
        Task SaveAsync(string offset);

        Task<string> LoadAsync();
    }

    // docs/queries.md
    internal static async Task Errors(ThrottledReadJournal journal, Offset offset, IMaterializer materializer)
    {
        try
        {
            await journal.EventsByTag("order", offset).RunForeach(Handle, materializer);
        }
        catch (JournalClosedException)
        {
            // The process ends.
        }
        catch (JournalException)
        {
            // The database refuses; the message says what to do about it. JournalRewoundException is one of these.
        }

        static void Handle(EventEnvelope envelope) => _ = envelope;
    }

    // docs/getting-started.md
    internal static void HealthChecks(IServiceCollection services)
    {
        services.AddHealthChecks().AddThrottledReadJournal();
    }

    // docs/getting-started.md
    internal static void OfDataOptions(AkkaConfigurationBuilder akka, NpgsqlDataSource dataSource)
    {
        var options = new DataOptions().UseDataProvider(PostgreSQLTools.GetDataProvider(PostgreSQLVersion.v15)).UseProvider(ProviderName.PostgreSQL15)
            .UseConnectionFactory(_ => dataSource.CreateConnection());
        akka.WithSqlPersistence(options).WithThrottledReadJournal();
    }

    // docs/getting-started.md
    internal static void Setups(AkkaConfigurationBuilder akka, DataOptions options)
    {
        var setup = new MultiDataOptionsSetup();
        setup.AddDataOptions("akka.persistence.journal.sql", options);
        akka.AddSetup(setup);
    }

    // docs/getting-started.md
    internal static ActorSystemSetup DataSource(Config config, DbDataSource dataSource)
    {
        return ActorSystemSetup.Create(BootstrapSetup.Create().WithConfig(config),
            new ThrottledReadJournalSetup().WithDataSource(ThrottledReadJournal.Identifier, dataSource));
    }

    // docs/resharding.md
    internal static Offset EitherOffset(EventEnvelope envelope)
    {
        var text = envelope.Offset.ToString();
        Offset offset = long.TryParse(text, out var n) ? Offset.Sequence(n) : ShardedOffset.Parse(text!);
        return offset;
    }

    // docs/sharding.md
    internal static async Task ShardedOffsets(ThrottledReadJournal journal, IStore store, EventEnvelope envelope)
    {
        await store.SaveAsync(envelope.Offset.ToString()!);                        // 0-511:1042,512-1023:77
        var events = journal.EventsByTag("order", ShardedOffset.Parse(await store.LoadAsync()));
        _ = events;
    }

    // docs/sharding.md
    internal static void ShardedJournals(AkkaConfigurationBuilder akka, string[] paths)
    {
        akka.WithShardedJournal(
            new ShardedJournalOptions(isDefaultPlugin: false, "orders") { Shards = paths, Slices = ["0-511", "512-1023"] },
            journal => journal.AddWriteEventAdapter<Tagger>("tagger", [typeof(IEvent)]).WithHealthCheck());
    }

    // docs/sharding.md
    internal static ThrottledReadJournal OfSystem(ActorSystem system)
    {
        var journal = PersistenceQuery.Get(system).ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier);
        return journal;
    }

    private sealed class Tagger : IWriteEventAdapter
    {
        public string Manifest(object evt) => "";

        public object ToJournal(object evt) => evt;
    }
}
