using Akka.Configuration;
using Akka.Persistence.Journal;
using Akka.Persistence.Sql;

namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>The configuration of Akka.Persistence.Sql as journal and as snapshot store.</summary>
internal static class AkkaPersistenceSql
{
    /// <param name="connectionString">The database.</param>
    /// <param name="provider">The name of the database in the plugin.</param>
    /// <param name="layout">The layout of its tables.</param>
    /// <param name="tagMode">Where the plugin writes tags.</param>
    /// <param name="remove">Removes the database.</param>
    internal static WrittenJournal Of(string connectionString, string provider, string layout, string tagMode, Action remove) => WrittenJournal.Of(
        $$"""
        akka.persistence {
          journal.plugin = "akka.persistence.journal.sql"
          journal.auto-start-journals = ["akka.persistence.journal.sql"]
          journal.sql {
            connection-string = "{{connectionString}}"
            provider-name = "{{provider}}"
            table-mapping = {{layout}}
            tag-write-mode = {{tagMode}}
            {{Tagging.ByColor}}
          }
          snapshot-store.plugin = "akka.persistence.snapshot-store.sql"
          snapshot-store.sql {
            connection-string = "{{connectionString}}"
            provider-name = "{{provider}}"
            table-mapping = {{layout}}
          }
          query.journal.throttled {
            connection-string = "{{connectionString}}"
            provider-name = "{{provider}}"
            table-mapping = {{layout}}
            tag-read-mode = {{tagMode}}
            write-plugin = "akka.persistence.journal.sql"
          }
        }
        """,
        SqlPersistence.DefaultConfiguration,
        remove);
}

internal static class Tagging
{
    /// <summary>The event adapter that Akka.NET's specs require.</summary>
    internal const string ByColor =
        $$"""
        event-adapters.color-tagger = "Akka.Persistence.Query.Throttled.Tests.Journals.ColorTagger, {{ThisAssembly.Name}}"
        event-adapter-bindings { "System.String" = color-tagger }
        """;
}

/// <summary>Tags a string with the colours and fruits that it names.</summary>
internal sealed class ColorTagger : IWriteEventAdapter
{
    private static readonly string[] Tags = ["green", "black", "blue", "apple", "banana"];

    public string Manifest(object evt) => "";

    public object ToJournal(object evt) =>
        evt is string text && Tags.Where(text.Contains).ToArray() is { Length: > 0 } tags ? new Tagged(evt, tags) : evt;
}
