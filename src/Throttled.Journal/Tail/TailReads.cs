using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>The tail's statements. On the loop.</summary>
internal sealed class TailReads(JournalContext context, TailContext tailContext, TailExecutor executor)
{
    /// <summary>Reads the journal end and the open transactions.</summary>
    /// <param name="read">Called with the start, after <paramref name="newest"/>.</param>
    /// <param name="newest">Called with the newest keys, if the database issues orderings again. Later keys are compared with them.</param>
    internal void Start(Action<TailStart> read, Action<KeysRequest, KeysResult> newest)
    {
        TailStart? start = null;
        Run(
            "anchor",
            async (database, cancellation) => start = await database.ReadStartAsync(cancellation).ConfigureAwait(false),
            () =>
            {
                if (start!.Last is { } last && context.Database.ReusesOrderings)
                    Newest(start, RewindDetector.HistoryRequest(last), read, newest);
                else
                    read(start);
            });
    }

    private void Newest(TailStart start, KeysRequest request, Action<TailStart> read, Action<KeysRequest, KeysResult> newest)
    {
        KeysResult? result = null;
        Run(
            "keys",
            async (database, cancellation) => result = await database.ReadKeysAsync(request, cancellation).ConfigureAwait(false),
            () =>
            {
                newest(request, result!);
                read(start with { Last = result!.Above.Count == 0 ? null : result.Above[^1] });
            });
    }

    /// <summary>Runs a poll. The bytes of its rows are released afterwards; code that keeps a row must count it again.</summary>
    internal void Keys(KeysRequest request, Action<KeysResult> read, Action failed)
    {
        KeysResult? result = null;
        Run(
            "keys",
            (database, cancellation) => DiscardingAsync(
                async () => result = await database.ReadKeysAsync(request, cancellation).ConfigureAwait(false), () => request.Rows?.Discard()),
            () => read(result!),
            failed);
    }

    /// <summary>Reads whether a row with the same persistence id and a lower sequence number exists.</summary>
    internal void Older(JournalKey key, Action<bool> read)
    {
        var rows = new ByIdRows([new(key.PersistenceId, new(long.MinValue, key.SequenceNumber - 1), 1)], 1, tailContext.Budget);
        Run("keys", (database, cancellation) => DiscardingAsync(() => database.ReadPagesAsync(rows, cancellation), rows.Discard), () => read(rows.Rows > 0));
    }

    /// <summary>Reads rows by ordering. Calls <paramref name="read"/> with the rows, and with whether these are all that exist.</summary>
    internal void Rows(List<long> orderings, Action<IReadOnlyList<JournalEvent>, bool> read)
    {
        var wanted = new TailRows(orderings, tailContext.Budget);
        executor.Run(
            "rows",
            (database, cancellation) => DiscardingAsync(() => database.ReadRowsAsync(wanted, cancellation), wanted.Discard),
            error =>
            {
                // A probe may have run before this statement. Another server that is behind may then have answered with fewer rows.
                read(error is null ? wanted.Events : [], error is null && !wanted.IsStopped && !executor.HasMoved);
                if (error is not null)
                    executor.Failed(error);
            });
    }

    /// <summary>Reads the tag horizon. This is optional: without it, pages search for tags that may not exist.</summary>
    /// <param name="settled">The ordering below which nothing can be committed any more.</param>
    internal void TagHorizon(long settled)
    {
        // If orderings are issued again, an old horizon would hide tags.
        if (!context.Database.ReusesOrderings)
            tailContext.Reserved.Run("tags", (database, cancellation) => database.ReadTagHorizonAsync(settled, cancellation), static _ => { });
    }

    // Discard here, outside the loop: the loop is not notified of statements that end after the disposal has begun.
    private static async Task DiscardingAsync(Func<Task> read, Action discard)
    {
        try
        {
            await read().ConfigureAwait(false);
        }
        finally
        {
            discard();
        }
    }

    private void Run(string kind, Func<IJournalDatabase, CancellationToken, Task> statement, Action succeeded, Action? failed = null) =>
        executor.Run(kind, statement, error =>
        {
            if (error is not null)
            {
                failed?.Invoke();
                executor.Failed(error);
                return;
            }
            executor.Succeeded();
            succeeded();
        });
}
