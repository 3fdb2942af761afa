using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;

namespace Throttled.Projections.Tests.Hosting;

/// <summary>A journal and a read model in SQLite files.</summary>
internal sealed class HostedFiles
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-hosting-");

    internal string JournalPath => Path.Combine(_directory.FullName, "journal.db");

    internal string JournalString => $"Data Source={JournalPath};Pooling=False";

    internal string ReadModelString => $"Data Source={Path.Combine(_directory.FullName, "model.db")};Pooling=False";

    internal JournalReader OpenJournal() => SqliteJournal.OpenReader(JournalString, new() { RefreshInterval = TimeSpan.FromMilliseconds(10) });

    internal ReadModelDatabase OpenReadModel() => ReadModelDatabase.Sqlite(SqliteFactory.Instance.CreateDataSource(ReadModelString));

    internal void Delete() => _directory.Delete(recursive: true);
}
