using Akka.Configuration;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Feed;

/// <summary>A journal in a SQLite file.</summary>
internal sealed class FeedJournal : IAsyncDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-feed-");
    private readonly JournalAppender _appender;
    private long _number;

    private FeedJournal() => _appender = SqliteJournal.OpenAppender(Connection);

    internal string Connection => $"Data Source={Path.Combine(_directory.FullName, "journal.db")};Pooling=False";

    internal string ReadModel => $"Data Source={Path.Combine(_directory.FullName, "model.db")};Pooling=False";

    internal Config Settings => $$"""
        {{ThrottledReadJournal.Identifier}} { connection-string = "{{Connection}}", provider-name = SQLite, refresh-interval = 20ms }
        """;

    internal static async Task<FeedJournal> CreateAsync()
    {
        var journal = new FeedJournal();
        await journal._appender.CreateAsync();
        return journal;
    }

    /// <summary>The ordering of the last event; the first one is 1, and none is missing.</summary>
    internal long End { get; private set; }

    /// <summary>Appends events of twenty ids in turn.</summary>
    internal Task AppendAsync(int count, int bytes = 10) => AppendAsync([.. Enumerable.Range(0, count).Select(_ => Next(bytes))]);

    internal Task AppendAsync(string id, string tag) => AppendAsync([Event(id, 1, 10, tag)]);

    public async ValueTask DisposeAsync()
    {
        await _appender.DisposeAsync();
        _directory.Delete(recursive: true);
    }

    private async Task AppendAsync(JournalEvent[] events)
    {
        await _appender.AppendAsync(events);
        End += events.Length;
    }

    private JournalEvent Next(int bytes)
    {
        var number = _number++;
        return Event($"account-{number % 20}", 1 + (number / 20), bytes);
    }

    private static JournalEvent Event(string id, long number, int bytes, params string[] tags) => new()
    {
        PersistenceId = id,
        SequenceNumber = number,
        SerializerId = 4,
        Manifest = "m",
        Tags = tags,
        Payload = Enumerable.Range(0, bytes).Select(index => (byte)index).ToArray(),
    };
}
