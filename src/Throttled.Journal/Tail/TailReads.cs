using Throttled.Journal.Sql;

namespace Throttled.Journal.Tail;

/// <summary>The tail's statements, each with what it found. On the loop.</summary>
internal sealed class TailReads(JournalContext context, TailParts parts, TailRuns runs)
{
    /// <summary>Where the journal ends, and who may still commit below that.</summary>
    /// <param name="read">Called with that, last.</param>
    /// <param name="newest">Called with the keys that later ones are compared with, where numbers are issued again.</param>
    internal void Anchor(Action<TailAnchor> read, Action<KeysQuery, KeysFound> newest)
    {
        TailAnchor? anchor = null;
        Run(
            "anchor",
            async (database, cancellation) => anchor = await database.ReadAnchorAsync(cancellation).ConfigureAwait(false),
            () =>
            {
                if (anchor!.Last is { } last && context.Database.ReusesOrderings)
                    Newest(anchor, StepBack.LooksFirst(last), read, newest);
                else
                    read(anchor);
            });
    }

    private void Newest(TailAnchor anchor, KeysQuery query, Action<TailAnchor> read, Action<KeysQuery, KeysFound> newest)
    {
        KeysFound? found = null;
        Run(
            "keys",
            async (database, cancellation) => found = await database.ReadKeysAsync(query, cancellation).ConfigureAwait(false),
            () =>
            {
                newest(query, found!);
                read(anchor with { Last = found!.Above.Count == 0 ? null : found.Above[^1] });
            });
    }

    /// <summary>A poll. The bytes of rows that came with it are released: who keeps one counts it anew.</summary>
    /// <param name="query">What to poll for.</param>
    /// <param name="read">Called with what was found.</param>
    /// <param name="failed">Called where it failed, before it is tried again.</param>
    internal void Keys(KeysQuery query, Action<KeysFound> read, Action failed)
    {
        KeysFound? found = null;
        runs.Run(
            "keys",
            (database, cancellation) => DiscardingAsync(
                async () => found = await database.ReadKeysAsync(query, cancellation).ConfigureAwait(false), () => query.Rows?.Discard()),
            error =>
            {
                if (error is null)
                {
                    runs.Succeeded();
                    read(found!);
                    return;
                }
                failed();
                runs.Failed(error);
            });
    }

    /// <summary>Whether a row of the same persistence id stands below a key.</summary>
    internal void Older(JournalKey key, Action<bool> read)
    {
        var statement = new PageStatement([new(key.PersistenceId, new(long.MinValue, key.SequenceNumber - 1), 1)], 1, parts.Budget);
        Run(
            "keys",
            (database, cancellation) => DiscardingAsync(() => database.ReadPagesAsync(statement, cancellation), statement.Discard),
            () => read(statement.Rows > 0));
    }

    /// <summary>Rows by name.</summary>
    /// <param name="orderings">Which.</param>
    /// <param name="read">Called with those that could be had, and whether these are all that are there.</param>
    internal void Rows(List<long> orderings, Action<IReadOnlyList<JournalEvent>, bool> read)
    {
        var statement = new RowsStatement(orderings, parts.Budget);
        runs.Run(
            "rows",
            (database, cancellation) => DiscardingAsync(() => database.ReadRowsAsync(statement, cancellation), statement.Discard),
            error =>
            {
                // A probe may have gone before it, and another server that is behind has fewer of them.
                read(error is null ? statement.Events : [], error is null && !statement.IsStopped && !runs.HasMoved);
                if (error is not null)
                    runs.Failed(error);
            });
    }

    /// <summary>A help, not a need: where it fails, pages look for tags that may not be there.</summary>
    /// <param name="settled">The ordering below which nothing can commit any more.</param>
    internal void TagHorizon(long settled)
    {
        // Where numbers come again, an old horizon would hide tags.
        if (!context.Database.ReusesOrderings)
            parts.Reserved.Run("tags", (database, cancellation) => database.ReadTagHorizonAsync(settled, cancellation), static _ => { });
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
        runs.Run(kind, statement, error =>
        {
            if (error is not null)
            {
                runs.Failed(error);
                return;
            }
            runs.Succeeded();
            succeeded();
        });
}
