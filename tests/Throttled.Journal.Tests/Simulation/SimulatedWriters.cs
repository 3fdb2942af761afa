using Throttled.Journal.Tests.Support;

namespace Throttled.Journal.Tests.Simulation;

/// <summary>
/// Writers that draw numbers, commit late or roll back, and delete. Each persistence id is in one transaction at a time, as
/// with Akka, where an entity waits for its write.
/// </summary>
internal sealed class SimulatedWriters(SimulationPlan plan, ScriptedJournal journal, Random random)
{
    // A stranger's rows come and go whole, so that numbers can be given out again.
    private const string Stranger = "stranger";

    private static readonly string[][] Tags = [[], [], ["red"], ["RED"], ["red", "blue"], ["blue", "blue"]];

    private readonly List<ScriptedRow> _rows = [];
    private readonly Dictionary<string, long> _next = [];
    private readonly string? _poisoned = plan.HasPoison ? "id-0" : null;

    /// <summary>All rows that were ever committed.</summary>
    internal IReadOnlyList<ScriptedRow> Committed => _rows;

    /// <summary>The row of an event; there must be one, and one only.</summary>
    internal ScriptedRow RowOf(JournalEvent of) => Assert.Single(_rows, row =>
        row.Ordering == of.Ordering && row.PersistenceId == of.PersistenceId && row.SequenceNumber == of.SequenceNumber);

    internal void Step()
    {
        switch (random.Next(13))
        {
            case < 3 when journal.Open.Count < (plan.ReusesOrderings ? 1 : 4):
                journal.Begin();
                break;
            case < 8 when journal.Open.Count > 0:
                Write(Any(journal.Open));
                break;
            case < 10 when journal.Open.Count > 0:
                EndOne();
                break;
            case < 11 when journal.Ending.Count > 0:
                journal.LetGo(Any(journal.Ending));
                break;
            case 11:
                Delete();
                break;
            case 12 when journal.Open.Count > 0 && !plan.ReusesOrderings:
                journal.Prepare(Any(journal.Open));
                break;
        }
    }

    /// <summary>The journal is restored from a backup.</summary>
    internal void Rewind(long to)
    {
        Finish();
        journal.Rewind(to);
        _rows.RemoveAll(row => row.Ordering > to);
        _next.Clear();
        foreach (var row in _rows)
            _next[row.PersistenceId] = Math.Max(_next.GetValueOrDefault(row.PersistenceId), row.SequenceNumber + 1);
    }

    /// <summary>Ends all that is open.</summary>
    internal void Finish()
    {
        while (journal.Open.Count > 0)
            End(journal.Open[0]);
        while (journal.Ending.Count > 0)
            journal.LetGo(journal.Ending[0]);
    }

    private T Any<T>(IReadOnlyList<T> list) => list[random.Next(list.Count)];

    // The oldest stays open for long, where some do.
    private void EndOne()
    {
        var one = Any(journal.Open);
        if (!plan.HasLongWriters || one != journal.Open[0] || random.Next(20) == 0)
            End(one);
    }

    private void Write(ScriptedTransaction transaction)
    {
        var id = plan.ReusesOrderings && random.Next(4) == 0 ? Stranger : $"id-{random.Next(plan.Ids)}";
        if (journal.Open.Any(other => other != transaction && other.Rows.Any(row => row.PersistenceId == id)))
            return;
        var events = random.Next(1, 4);
        for (var i = 0; i < events; i++)
            Write(transaction, id);
    }

    private void Write(ScriptedTransaction transaction, string id)
    {
        var next = _next.GetValueOrDefault(id, 1) + transaction.Rows.Count(row => row.PersistenceId == id);
        var row = transaction.Add(id, next, random.Next(plan.LargestPayload + 1), Tags[random.Next(Tags.Length)]);
        row.IsPoisoned = id == _poisoned && next > 4;
    }

    private void End(ScriptedTransaction transaction)
    {
        if (random.Next(3) == 0)
            transaction.RollBack();
        else
            Commit(transaction);
    }

    private void Commit(ScriptedTransaction transaction)
    {
        transaction.Commit();
        _rows.AddRange(transaction.Rows);
        foreach (var row in transaction.Rows)
            _next[row.PersistenceId] = row.SequenceNumber + 1;
    }

    private void Delete()
    {
        var id = $"id-{random.Next(plan.Ids)}";
        var last = journal.RowsOf(id).LastOrDefault()?.SequenceNumber ?? 0;
        if (plan.ReusesOrderings && random.Next(2) == 0 && journal.Open.Count == 0)
            journal.Remove(Stranger, long.MaxValue);
        else if (random.Next(3) == 0 && journal.Open.Count == 0)
            journal.Remove(id, random.NextInt64(last));
        else
            journal.MarkDeleted(id, random.NextInt64(last + 1));
    }
}
