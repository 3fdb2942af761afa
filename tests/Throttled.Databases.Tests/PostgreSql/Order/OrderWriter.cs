using System.Diagnostics;
using Npgsql;

namespace Throttled.Journal.PostgreSql.Tests.Order;

/// <summary>The common state of all writers of a test.</summary>
internal sealed record OrderWorld(JournalUnderTest Journal, OrderLedger Ledger, OrderRestarts Restarts, OrderPlan Plan);

/// <summary>
/// Owns some ids, like persistent actors. It writes their events in transactions of all kinds, each open for a random time: rolled back
/// completely or partly, prepared, or with orderings drawn long before they are used.
/// </summary>
internal sealed class OrderWriter(OrderWorld world, int seed, int number)
{
    private static readonly string[][] Tags = [[], ["blue"], ["green"], ["blue", "green"]];

    private readonly Random _random = new(seed);
    private readonly Dictionary<string, int> _written = Enumerable.Range(0, 3).ToDictionary(i => $"writer-{number}-id-{i}", _ => 0);
    private int _attempts;

    internal IEnumerable<string> Ids => _written.Keys;

    internal async Task RunAsync(CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            try
            {
                await TransactAsync();
            }
            catch (Exception error) when (IsOfRestart(error))
            {
                await HoldAsync();
            }
        }
    }

    /// <summary>Writes the last event of each id.</summary>
    internal async Task EndAsync()
    {
        await using var transaction = await world.Journal.BeginAsync();
        JournalEvent[] last = [.. _written.Select(id => TestEvents.One(id.Key, id.Value + 1, " the last").With(Tags[3]))];
        var numbered = Numbered(last, await transaction.InsertAsync(last));
        await CommitAsync(transaction, numbered);
    }

    /// <summary>Whether a stopping server causes such an error.</summary>
    internal static bool IsOfRestart(Exception error) => error is NpgsqlException or IOException or ObjectDisposedException
        && error is not PostgresException { SqlState: PostgresErrorCodes.UniqueViolation or PostgresErrorCodes.SyntaxError };

    private async Task TransactAsync()
    {
        await using var transaction = await world.Journal.BeginAsync();
        var events = await WriteAsync(transaction);
        if (_random.Next(6) == 0 || (world.Restarts.IsComing && _random.Next(2) == 0))
        {
            await PrepareAsync(transaction, events);
            return;
        }
        await HoldAsync();
        if (_random.Next(5) == 0)
            world.Ledger.RolledBack();
        else
            await CommitAsync(transaction, events);
    }

    private async Task<List<JournalEvent>> WriteAsync(RawTransaction transaction)
    {
        var events = Draw();
        return _random.Next(3) switch
        {
            0 => await InsertAsync(transaction, events),
            1 => await InsertInPartAsync(transaction, events),
            _ => await InsertLateAsync(transaction, events),
        };
    }

    private async Task<List<JournalEvent>> InsertAsync(RawTransaction transaction, JournalEvent[] events)
    {
        List<long> orderings = [];
        foreach (var each in events)
        {
            orderings.AddRange(await transaction.InsertAsync(each));
            if (_random.Next(4) == 0)
                await HoldAsync(share: 0.1);
        }
        return Numbered(events, orderings);
    }

    // Rows after a savepoint are rolled back, and their orderings never appear.
    private async Task<List<JournalEvent>> InsertInPartAsync(RawTransaction transaction, JournalEvent[] events)
    {
        var first = await InsertAsync(transaction, events[..(events.Length / 2)]);
        await transaction.RunAsync("SAVEPOINT part");
        await transaction.InsertAsync(events[(events.Length / 2)..]);
        await HoldAsync(share: 0.3);
        await transaction.RunAsync("ROLLBACK TO SAVEPOINT part");
        return [.. first, .. await InsertAsync(transaction, events[(events.Length / 2)..])];
    }

    // Every second ordering that was drawn is used, after others have drawn and committed higher ones.
    private async Task<List<JournalEvent>> InsertLateAsync(RawTransaction transaction, JournalEvent[] events)
    {
        List<long> orderings = [];
        for (var i = 0; i < 2 * events.Length; i++)
            orderings.Add(await transaction.ScalarAsync<long>("SELECT nextval(pg_get_serial_sequence('journal', 'ordering'))"));
        await HoldAsync();
        var numbered = Numbered(events, [.. orderings.Where((_, i) => i % 2 == 0)]);
        await transaction.InsertAsync(numbered);
        return numbered;
    }

    private async Task CommitAsync(RawTransaction transaction, List<JournalEvent> events)
    {
        var began = Stopwatch.GetTimestamp();
        try
        {
            await transaction.CommitAsync();
        }
        catch (Exception error) when (IsOfRestart(error))
        {
            await ResolveAsync(events, began);
            return;
        }
        Note(events, began);
    }

    // A prepared transaction stays open longer than those that were open beside it.
    private async Task PrepareAsync(RawTransaction transaction, List<JournalEvent> events)
    {
        var name = $"writer-{number}-{_attempts}";
        await HoldAsync(share: 0.3);
        try
        {
            await transaction.RunAsync($"PREPARE TRANSACTION '{name}'");
        }
        catch (Exception error) when (IsOfRestart(error))
        {
            await EndPreparedAsync($"ROLLBACK PREPARED '{name}'");
            throw;
        }
        world.Ledger.Prepared();
        if (world.Restarts.IsComing)
            await world.Restarts.WaitAsync();
        else
            await HoldAsync(share: 4);
        var commits = _random.Next(5) > 0;
        var began = Stopwatch.GetTimestamp();
        await EndPreparedAsync($"{(commits ? "COMMIT" : "ROLLBACK")} PREPARED '{name}'");
        if (commits)
            Note(events, began);
        else
            world.Ledger.RolledBack();
    }

    // The transaction outlives its session and the server, so the command to end it is repeated until it succeeds.
    private Task EndPreparedAsync(string sql) => Wait.UntilAsync(
        async () =>
        {
            try
            {
                await world.Journal.ExecuteAsync(sql);
                return true;
            }
            catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.UndefinedObject)
            {
                return true;
            }
            catch (Exception error) when (IsOfRestart(error))
            {
                return false;
            }
        },
        () => sql);

    // The server stopped during a commit, and only the server knows whether it succeeded.
    private async Task ResolveAsync(List<JournalEvent> events, long began)
    {
        var found = false;
        await Wait.UntilAsync(
            async () =>
            {
                try
                {
                    await using var connection = await world.Journal.ConnectAsync();
                    found = await connection.ScalarAsync<long>(
                        $"SELECT count(*) FROM journal WHERE ordering = {events[0].Ordering} AND persistence_id = '{events[0].PersistenceId}'") > 0;
                    return true;
                }
                catch (Exception error) when (IsOfRestart(error))
                {
                    return false;
                }
            },
            () => "what became of a commit");
        if (found)
            Note(events, began);
        else
            world.Ledger.RolledBack();
    }

    private void Note(List<JournalEvent> events, long began)
    {
        foreach (var each in events)
            _written[each.PersistenceId] = (int)each.SequenceNumber;
        world.Ledger.Committed(events, began);
    }

    private JournalEvent[] Draw()
    {
        var attempt = $" #{++_attempts}";
        var ids = _written.Where(_ => _random.Next(2) == 0).DefaultIfEmpty(_written.First());
        return [.. ids.SelectMany(id => TestEvents.Of(id.Key, id.Value + 1, _random.Next(1, 4), attempt))
            .Select(each => each.With(Tags[_random.Next(Tags.Length)]))];
    }

    private static List<JournalEvent> Numbered(IEnumerable<JournalEvent> events, IReadOnlyList<long> orderings) =>
        [.. events.Select((each, i) => each.At(orderings[i]))];

    // Most are short and some are long.
    private Task HoldAsync(double share = 1) =>
        Task.Delay(Math.Pow(_random.NextDouble(), 4) * share * world.Plan.LongestHold, TimeProvider.System);
}
