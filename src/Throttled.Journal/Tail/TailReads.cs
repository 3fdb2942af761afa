using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Tail;

/// <summary>The tail's statements, each with what it found. On the loop.</summary>
internal sealed class TailReads(JournalContext context, TailContext tailContext, TailExecutor executor)
{
    /// <summary>Where the journal ends, and who may still commit below that.</summary>
    /// <param name="read">Called with that, last.</param>
    /// <param name="newest">Called with the keys that later ones are compared with, where numbers are issued again.</param>
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

    /// <summary>A poll. The bytes of rows that came with it are released: who keeps one counts it anew.</summary>
    /// <param name="request">What to poll for.</param>
    /// <param name="read">Called with what was found.</param>
    /// <param name="failed">Called where it failed, before it is tried again.</param>
    internal void Keys(KeysRequest request, Action<KeysResult> read, Action failed)
    {
        KeysResult? result = null;
        executor.Run(
            "keys",
            (database, cancellation) => DiscardingAsync(
                async () => result = await database.ReadKeysAsync(request, cancellation).ConfigureAwait(false), () => request.Rows?.Discard()),
            error =>
            {
                if (error is null)
                {
                    executor.Succeeded();
                    read(result!);
                    return;
                }
                failed();
                executor.Failed(error);
            });
    }

    /// <summary>Whether a row of the same persistence id stands below a key.</summary>
    internal void Older(JournalKey key, Action<bool> read)
    {
        var rows = new ByIdRows([new(key.PersistenceId, new(long.MinValue, key.SequenceNumber - 1), 1)], 1, tailContext.Budget);
        Run(
            "keys",
            (database, cancellation) => DiscardingAsync(() => database.ReadPagesAsync(rows, cancellation), rows.Discard),
            () => read(rows.Rows > 0));
    }

    /// <summary>Rows by name.</summary>
    /// <param name="orderings">Which.</param>
    /// <param name="read">Called with those that could be had, and whether these are all that are there.</param>
    internal void Rows(List<long> orderings, Action<IReadOnlyList<JournalEvent>, bool> read)
    {
        var wanted = new TailRows(orderings, tailContext.Budget);
        executor.Run(
            "rows",
            (database, cancellation) => DiscardingAsync(() => database.ReadRowsAsync(wanted, cancellation), wanted.Discard),
            error =>
            {
                // A probe may have gone before it, and another server that is behind has fewer of them.
                read(error is null ? wanted.Events : [], error is null && !wanted.IsStopped && !executor.HasMoved);
                if (error is not null)
                    executor.Failed(error);
            });
    }

    /// <summary>A help, not a need: where it fails, pages look for tags that may not be there.</summary>
    /// <param name="settled">The ordering below which nothing can commit any more.</param>
    internal void TagHorizon(long settled)
    {
        // Where numbers come again, an old horizon would hide tags.
        if (!context.Database.ReusesOrderings)
            tailContext.Reserved.Run("tags", (database, cancellation) => database.ReadTagHorizonAsync(settled, cancellation), static _ => { });
    }

    // Beside the loop: of what ends after the disposal has begun, the loop is not notified.
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

    private void Run(string kind, Func<IJournalDatabase, CancellationToken, Task> statement, Action succeeded) =>
        executor.Run(kind, statement, error =>
        {
            if (error is not null)
            {
                executor.Failed(error);
                return;
            }
            executor.Succeeded();
            succeeded();
        });
}
