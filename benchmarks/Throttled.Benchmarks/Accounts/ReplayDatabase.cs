using BankAccounts.History;
using Throttled.Journal;

namespace BankAccounts.Databases;

/// <summary>Fills the journal of a shape, unless it is there from an earlier run.</summary>
internal sealed class Seeding(HistoryShape shape, IBankDatabase database)
{
    private const int EventsPerTransaction = 20_000;

    private long _seeded;

    /// <summary>Events that are there.</summary>
    internal long Seeded => Interlocked.Read(ref _seeded);

    internal async Task RunAsync(CancellationToken cancellation)
    {
        var tables = BankTables.Of(shape);
        if (await database.CountAsync(tables, cancellation) == shape.Events)
        {
            _seeded = shape.Events;
            return;
        }
        await database.DropAsync(tables, cancellation);
        await using (var appender = database.OpenAppender(tables))
        {
            await appender.CreateAsync(cancellation);
            foreach (var some in new AccountHistory(shape).All().Chunk(EventsPerTransaction))
            {
                await appender.AppendAsync(some, cancellation);
                Interlocked.Add(ref _seeded, some.Length);
            }
        }
        await database.SettleAsync(tables, cancellation);
    }
}
