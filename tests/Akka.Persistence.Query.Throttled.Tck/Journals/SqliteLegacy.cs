using Akka.Persistence.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Journals;

/// <summary>
/// SQLite, written by the older Akka.Persistence.Sqlite in the mode that creates a file. The read journal is configured only with the write
/// plugin.
/// </summary>
public sealed class SqliteLegacy : IWrittenJournal
{
    public static string? SkipReason => null;

    public static WrittenJournal New()
    {
        var file = SqliteFile.New(isWriteAhead: false);
        return WrittenJournal.Of(
            $$"""
            akka.persistence {
              journal.plugin = "akka.persistence.journal.sqlite"
              journal.auto-start-journals = ["akka.persistence.journal.sqlite"]
              journal.sqlite {
                connection-string = "{{file.ConnectionString}}"
                auto-initialize = on
                {{Tagging.ByColor}}
              }
              snapshot-store.plugin = "akka.persistence.snapshot-store.sqlite"
              snapshot-store.sqlite {
                connection-string = "{{file.ConnectionString}}"
                auto-initialize = on
              }
              query.journal.throttled.write-plugin = "akka.persistence.journal.sqlite"
            }
            """,
            SqlitePersistence.DefaultConfiguration(),
            file.Delete);
    }
}
