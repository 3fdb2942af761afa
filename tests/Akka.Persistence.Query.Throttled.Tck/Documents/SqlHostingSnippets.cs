using Akka.Hosting;
using Akka.Persistence.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Sql.Hosting;
using LinqToDB;
using Microsoft.Extensions.DependencyInjection;

namespace Akka.Persistence.Query.Throttled.Tests.Documents;

/// <summary>Code of the documentation that needs the package Akka.Persistence.Sql.Hosting.</summary>
internal static class SqlHostingSnippets
{
    // docs/getting-started.md
    internal static void HealthChecks(AkkaConfigurationBuilder akka, DataOptions options, IServiceCollection services)
    {
        akka.WithSqlPersistence(options, journalBuilder: journal => journal.WithHealthCheck())
            .WithThrottledReadJournal(journalBuilder: journal => journal.WithHealthCheck());
        services.AddHealthChecks();
    }

    // docs/sharding.md
    internal static void ShardedJournals(AkkaConfigurationBuilder akka)
    {
        string[] databases = ["Host=db-a;…", "Host=db-b;…"];
        for (var shard = 0; shard < databases.Length; shard++)
            akka.WithSqlPersistence(databases[shard], ProviderName.PostgreSQL15, PersistenceMode.Journal, pluginIdentifier: $"shard-{shard}", isDefaultPlugin: false);
        akka.WithShardedJournal(["akka.persistence.journal.shard-0", "akka.persistence.journal.shard-1"])
            .WithThrottledReadJournal();
    }
}
