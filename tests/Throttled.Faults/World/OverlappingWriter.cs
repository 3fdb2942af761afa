using System.Data.Common;

namespace Throttled.Faults.World;

/// <summary>
/// Keeps transactions open for random times, so they commit in another order than that of their orderings. It rolls some back, and takes some
/// orderings before it writes anything. Its commits are in the ledger.
/// </summary>
internal sealed class OverlappingWriter(JournalUnderTest journal, Ledger ledger, int number)
{
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(600);

    private readonly Random _random = new(number);
    private readonly string _id = $"overlapping-{number}";
    private int _written;

    internal async Task RunAsync(CancellationToken stop)
    {
        while (!stop.IsCancellationRequested)
        {
            try
            {
                await TransactAsync();
            }
            catch (Exception error) when (IsOfServer(error))
            {
                await PauseAsync();
            }
        }
    }

    private static bool IsOfServer(Exception error) => error is DbException or IOException or ObjectDisposedException;

    private async Task TransactAsync()
    {
        await using var transaction = await journal.BeginAsync();
        var next = TestEvents.One(_id, _written + 1).With($"tag-{_random.Next(LedgerWriter.Tags)}");
        if (_random.Next(3) == 0)
        {
            next = next.At(await transaction.ScalarAsync<long>("SELECT nextval(pg_get_serial_sequence('journal', 'ordering'))"));
            await PauseAsync();
        }
        var ordering = (await transaction.InsertAsync(next))[0];
        await PauseAsync();
        if (_random.Next(4) == 0)
            return;
        if (!await CommitAsync(transaction, ordering))
            return;
        _written++;
        ledger.Committed([next]);
    }

    private async Task<bool> CommitAsync(RawTransaction transaction, long ordering)
    {
        try
        {
            await transaction.CommitAsync();
            return true;
        }
        catch (Exception error) when (IsOfServer(error))
        {
            // The server stopped during the commit, and only the server knows the outcome.
            return await IsThereAsync(ordering);
        }
    }

    private async Task<bool> IsThereAsync(long ordering)
    {
        var isThere = false;
        await Wait.UntilAsync(
            async () =>
            {
                try
                {
                    await using var connection = await journal.ConnectAsync();
                    isThere = await connection.ScalarAsync<long>($"SELECT count(*) FROM journal WHERE ordering = {ordering} AND persistence_id = '{_id}'") > 0;
                    return true;
                }
                catch (Exception error) when (IsOfServer(error))
                {
                    return false;
                }
            },
            () => "the outcome of a commit");
        return isThere;
    }

    private Task PauseAsync() => Task.Delay(_random.NextDouble() * Longest, TimeProvider.System);
}
