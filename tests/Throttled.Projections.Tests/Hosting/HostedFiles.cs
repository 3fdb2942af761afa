using System.Text;
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

    /// <summary>Creates the journal, with the numbers from 1 as JSON, each as the only event of its own persistence id.</summary>
    internal async Task AppendNumbersAsync(int count)
    {
        await using var appender = SqliteJournal.OpenAppender(JournalString);
        await appender.CreateAsync();
        await appender.AppendAsync([.. Enumerable.Range(1, count).Select(number => new JournalEvent
        {
            PersistenceId = $"id-{number}", SequenceNumber = 1, Manifest = "number", Payload = Encoding.UTF8.GetBytes($"{number}"),
        })]);
    }

    internal void Delete() => _directory.Delete(recursive: true);
}
