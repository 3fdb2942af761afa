using System.Data.Common;
using Throttled.Benchmarks.Writing;

namespace Throttled.Benchmarks.Tags;

/// <summary>
/// Finds how far the pollers may read, as the sequence actor of Akka.Persistence.Sql does. It reads the next 10,000 orderings
/// each second, and goes on only over contiguous numbers. After ten polls it skips a missing number. Unlike the actor, it
/// begins at the journal end.
/// </summary>
// https://github.com/akkadotnet/Akka.Persistence.Sql/blob/35ec93c/src/Akka.Persistence.Sql/Query/JournalSequenceActor.cs
internal sealed class SequencePoll(OwnJournal journal, DbDataSource source)
{
    private const int Limit = 10_000;
    private const int Tries = 10;

    private long _max;
    private int _tries;

    /// <summary>The highest ordering that may be read.</summary>
    internal long Max => Volatile.Read(ref _max);

    internal async Task BeginAsync() => Volatile.Write(ref _max, await journal.EndAsync());

    internal void Look()
    {
        using var open = source.OpenConnection();
        using var transaction = open.BeginTransaction();
        using var command = open.CreateCommand();
        command.Transaction = transaction;
        command.CommandText = $"SELECT {journal.Tables.OrderingColumn} FROM {journal.Tables.JournalTable} "
            + $"WHERE {journal.Tables.OrderingColumn} > {_max} ORDER BY {journal.Tables.OrderingColumn} LIMIT {Limit}";
        var (max, seen) = (_max, _max);
        using (var row = command.ExecuteReader())
        {
            while (row.Read())
            {
                seen = row.GetInt64(0);
                max = seen == max + 1 ? seen : max;
            }
        }
        transaction.Commit();
        _tries = seen > max ? _tries + 1 : 0;
        Volatile.Write(ref _max, _tries < Tries ? max : seen);
    }
}
