using Akka.Hosting;
using Akka.Persistence.Hosting;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Akka.Persistence.Sql.Config;
using Akka.Persistence.Sql.Hosting;
using TagMode = Akka.Persistence.Sql.Config.TagMode;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

/// <summary>A read journal together with <c>WithSqlPersistence</c>.</summary>
public sealed class SqlHostingTests : WritePluginSpec
{
    private protected override AkkaConfigurationBuilder Configure(AkkaConfigurationBuilder builder, SqlPlugin plugin) => builder.WithSqlPersistence(
        plugin.ConnectionString,
        plugin.ProviderName,
        PersistenceMode.Journal,
        databaseMapping: Enum.Parse<DatabaseMapping>(plugin.TableMapping.Replace("-", "", StringComparison.Ordinal), ignoreCase: true),
        tagStorageMode: Enum.Parse<TagMode>(plugin.TagMode),
        journalBuilder: plugin.TagsTexts ? journal => journal.AddWriteEventAdapter<RedTagger>("red", [typeof(string)]) : null);
}

public sealed class SqlHostingShardsTests : ShardedHostSpec
{
    private protected override AkkaConfigurationBuilder Configure(AkkaConfigurationBuilder builder, SqlPlugin plugin) =>
        builder.WithJournal(new Sql.Hosting.SqlJournalOptions(isDefaultPlugin: plugin.IsDefault, plugin.Identifier)
        {
            ConnectionString = plugin.ConnectionString,
            ProviderName = plugin.ProviderName,
            AutoInitialize = true,
        });
}
