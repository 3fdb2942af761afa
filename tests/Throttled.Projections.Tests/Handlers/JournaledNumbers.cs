using System.Globalization;
using System.Text;
using Throttled.Journal.Sqlite;
using Throttled.Projections.Tests.Hosting;

namespace Throttled.Projections.Tests.Handlers;

/// <summary>A journal in a SQLite file. Its events are numbers, written as <c>id:number</c>.</summary>
internal sealed class JournaledNumbers : IDisposable
{
    private readonly HostedFiles _files = new();
    private readonly Dictionary<string, long> _sequenceNumbers = [];

    internal static Func<JournalEvent, object?> Decode { get; } = new JsonEvents().Add<int>("number").Decode;

    /// <summary>The number of events, and the ordering of the last one.</summary>
    internal int Count { get; private set; }

    internal JournalReader Open() => _files.OpenJournal();

    internal async Task<JournaledNumbers> AppendAsync(params string[] events)
    {
        await using var appender = SqliteJournal.OpenAppender(_files.JournalString);
        if (Count == 0)
            await appender.CreateAsync();
        if (events.Length > 0)
            await appender.AppendAsync([.. events.Select(text => text.Split(':')).Select(parts => Event(parts[0], int.Parse(parts[1], CultureInfo.InvariantCulture)))]);
        Count += events.Length;
        return this;
    }

    /// <summary>Takes the file away, so the journal is unavailable.</summary>
    internal void Hide() => Move("", ".hidden");

    internal void Show() => Move(".hidden", "");

    public void Dispose() => _files.Delete();

    private void Move(string from, string to)
    {
        foreach (var suffix in new[] { "-wal", "-shm", "" }.Where(suffix => File.Exists(_files.JournalPath + suffix + from)))
            File.Move(_files.JournalPath + suffix + from, _files.JournalPath + suffix + to);
    }

    private JournalEvent Event(string id, int number) => new()
    {
        PersistenceId = id,
        SequenceNumber = _sequenceNumbers[id] = _sequenceNumbers.GetValueOrDefault(id) + 1,
        Manifest = "number",
        Payload = Encoding.UTF8.GetBytes(number.ToString(CultureInfo.InvariantCulture)),
    };
}
