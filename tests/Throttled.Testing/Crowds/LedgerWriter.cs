using System.Data.Common;

namespace Throttled.Testing;

/// <summary>
/// Writes events of its own persistence ids, whatever happens to the server, and records the committed events in the ledger.
/// </summary>
internal sealed class LedgerWriter : IAsyncDisposable
{
    private readonly ILedgerJournal _journal;
    private readonly Ledger _ledger;
    private readonly JournalAppender _appender;
    private readonly string[] _ids;
    private readonly int[] _written;
    private readonly Random _random = new(7);

    internal LedgerWriter(ILedgerJournal journal, Ledger ledger, string[] ids)
    {
        (_journal, _ledger, _ids) = (journal, ledger, ids);
        _appender = journal.OpenAppender();
        _written = new int[ids.Length];
    }

    /// <summary>The pause between transactions.</summary>
    internal TimeSpan Pause { get; init; } = TimeSpan.FromMilliseconds(20);

    /// <summary>The number of tags. Every second event has one tag.</summary>
    internal static int Tags => 200;

    /// <summary>The number of transactions whose result the server did not report: they may have been committed or not.</summary>
    internal int Ambiguous { get; private set; }

    /// <summary>The event with a number, of the id at an index in the list of ids.</summary>
    internal static JournalEvent Event(string id, int index, int number) => new()
    {
        PersistenceId = id,
        SequenceNumber = number,
        Payload = new byte[] { 1, 2, 3 },
        // The serializer of byte arrays.
        SerializerId = 4,
        Tags = (index + number) % 2 == 0 ? [$"tag-{index % Tags}"] : [],
    };

    /// <summary>Writes one more event of each id.</summary>
    internal Task WriteAllAsync() => WriteAsync(Enumerable.Range(0, _ids.Length));

    /// <summary>Writes a few events at a time until it is stopped.</summary>
    internal async Task RunAsync(CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            await WriteAsync(Enumerable.Range(0, 15).Select(_ => _random.Next(_ids.Length)).Distinct());
            await Task.Delay(Pause, TimeProvider.System, CancellationToken.None);
        }
    }

    public ValueTask DisposeAsync() => _appender.DisposeAsync();

    private async Task WriteAsync(IEnumerable<int> indexes)
    {
        JournalEvent[] events = [.. indexes.Select(Next)];
        await Wait.UntilAsync(() => WriteOnceAsync(events), () => "a transaction written");
        _ledger.Committed(events);
    }

    private async Task<bool> WriteOnceAsync(JournalEvent[] events)
    {
        try
        {
            await _appender.AppendAsync(events);
            return true;
        }
        catch (Exception error) when (error is DbException or IOException)
        {
            // The server stopped in the middle of the commit. Only the server knows whether the transaction was committed.
            Ambiguous++;
            return await IsThereAsync(events[0]);
        }
    }

    private async Task<bool> IsThereAsync(JournalEvent first)
    {
        var isThere = false;
        await Wait.UntilAsync(
            async () =>
            {
                try
                {
                    await using var connection = await _journal.ConnectAsync();
                    isThere = await connection.ScalarAsync<long>(
                        $"SELECT count(*) FROM journal WHERE persistence_id = '{first.PersistenceId}' AND sequence_number = {first.SequenceNumber}") > 0;
                    return true;
                }
                catch (Exception error) when (error is DbException or IOException)
                {
                    return false;
                }
            },
            () => "what became of a commit");
        return isThere;
    }

    private JournalEvent Next(int index) => Event(_ids[index], index, ++_written[index]);
}
