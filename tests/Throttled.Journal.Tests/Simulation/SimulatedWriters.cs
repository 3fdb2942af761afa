namespace Throttled.Simulation;

/// <summary>
/// Writers draw orderings, commit late or roll back, and delete. Each persistence id is in one transaction at a time, as in Akka,
/// where an entity waits for its write.
/// </summary>
internal sealed class SimulatedWriters(SimulationPlan plan, ScriptedJournal journal, Random random, Coverage coverage)
{
    // The rows of this id are removed all at once, so that their orderings can be reused.
    private const string Stranger = "stranger";

    private static readonly string[][] Tags = [[], [], ["red"], ["RED"], ["red", "blue"], ["blue", "blue"]];

    private readonly List<ScriptedRow> _rows = [];
    private readonly Dictionary<string, long> _next = [];
    private int _guests;
    private readonly string? _poisoned = plan.HasPoison ? "id-0" : null;

    /// <summary>The beginning of its persistence ids; a number follows.</summary>
    internal string Prefix { get; init; } = "id-";

    /// <summary>A second source of randomness, for plans that the first one does not know.</summary>
    internal Random Chance { get; init; } = new(0);

    /// <summary>Whether all servers have a row.</summary>
    internal Func<ScriptedRow, bool> IsOnAll { get; set; } = _ => true;

    /// <summary>All rows that were ever committed.</summary>
    internal IReadOnlyList<ScriptedRow> Committed => _rows;

    /// <summary>The one row of an event.</summary>
    internal ScriptedRow RowOf(JournalEvent of) => Assert.Single(_rows, row =>
        row.Ordering == of.Ordering && row.PersistenceId == of.PersistenceId && row.SequenceNumber == of.SequenceNumber);

    /// <summary>The row whose payload is too large according to a failure; null if the failure names none.</summary>
    internal ScriptedRow? LargeIn(string message) => _rows.Find(row => row.LeftOut > 0 && plan.Options.OnLargePayload == LargePayloadAction.Fail && message.StartsWith(
        FormattableString.Invariant($"The payload of event {row.SequenceNumber} of '{row.PersistenceId}' (ordering {row.Ordering}) has {row.LeftOut} bytes;"),
        StringComparison.Ordinal));

    /// <summary>Whether queries skip the row because its payload is too large.</summary>
    internal bool IsSkipped(ScriptedRow row) => row.LeftOut > 0 && plan.Options.OnLargePayload == LargePayloadAction.Skip;

    /// <summary>An event with a too large payload comes without it, if the options say so.</summary>
    internal void CheckPayload(ScriptedRow row, JournalEvent given)
    {
        Assert.Equal(row.LeftOut, given.OmittedPayloadBytes);
        Assert.True(row.LeftOut == 0 || plan.Options.OnLargePayload == LargePayloadAction.OmitPayload, "An event came whose payload is too large.");
    }

    /// <summary>A deleted event comes only if its query was opened before the deletion, or if a lagging server does not know of it.</summary>
    internal void CheckDeleted(ScriptedRow row, int openedAt) => Assert.True(
        row.DeletedAt is null || row.DeletedAt > openedAt || plan.HasTwoServers, "An event came that was deleted before the query was opened.");

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
                coverage.Add("a prepared transaction");
                journal.Prepare(Any(journal.Open));
                break;
        }
    }

    /// <summary>The journal is restored from a backup, or a server without the newest rows takes over.</summary>
    /// <param name="to">The highest ordering that is left.</param>
    /// <param name="isRestored">Whether the lost orderings are reused.</param>
    internal void Rewind(long to, bool isRestored)
    {
        Finish();
        if (isRestored)
            journal.Rewind(to);
        else
            journal.Lose(to);
        _rows.RemoveAll(row => row.Ordering > to);
        _next.Clear();
        foreach (var row in _rows)
            _next[row.PersistenceId] = Math.Max(_next.GetValueOrDefault(row.PersistenceId), row.SequenceNumber + 1);
    }

    /// <summary>Ends all open transactions.</summary>
    internal void Finish()
    {
        while (journal.Open.Count > 0)
            End(journal.Open[0]);
        while (journal.Ending.Count > 0)
            journal.LetGo(journal.Ending[0]);
    }

    private T Any<T>(IReadOnlyList<T> list) => list[random.Next(list.Count)];

    // If the plan says so, the oldest transaction stays open for long.
    private void EndOne()
    {
        var one = Any(journal.Open);
        if (!plan.HasLongWriters || one != journal.Open[0] || random.Next(20) == 0)
            End(one);
    }

    private void Write(ScriptedTransaction transaction)
    {
        if (plan.AlternatesNames && Chance.Next(3) == 0)
        {
            transaction.Add($"guest-{++_guests}", 1, 10, Tags[Chance.Next(Tags.Length)]);
            return;
        }
        var id = plan.ReusesOrderings && random.Next(4) == 0 ? Stranger : $"{Prefix}{random.Next(plan.Ids)}";
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
        if (plan.LargePayloads > 0 && random.NextDouble() < plan.LargePayloads)
            row.LeftOut = plan.LargestPayload + 1;
    }

    private void End(ScriptedTransaction transaction)
    {
        if (random.Next(3) == 0)
        {
            coverage.AddIf(transaction.ShowsAsOpen, "a rollback");
            transaction.RollBack();
        }
        else
            Commit(transaction);
    }

    private void Commit(ScriptedTransaction transaction)
    {
        coverage.AddIf(transaction.ShowsAsOpen && transaction.Rows[0].Ordering < journal.Last?.Ordering, "a late commit");
        transaction.Commit();
        _rows.AddRange(transaction.Rows);
        foreach (var row in transaction.Rows)
            _next[row.PersistenceId] = row.SequenceNumber + 1;
    }

    private void Delete()
    {
        var id = $"{Prefix}{random.Next(plan.Ids)}";
        if (plan.AlternatesNames && Chance.Next(3) > 0)
        {
            RemoveGuest();
            return;
        }
        var last = journal.RowsOf(id).LastOrDefault()?.SequenceNumber ?? 0;
        if (plan.ReusesOrderings && random.Next(2) == 0 && journal.Open.Count == 0)
            journal.Remove(Stranger, long.MaxValue);
        // If the first row of an id is deleted while the server changes, it looks like a loss.
        else if (random.Next(3) == 0 && journal.Open.Count == 0 && !plan.HasFailovers)
        {
            coverage.Add("rows are removed");
            journal.Remove(id, random.NextInt64(last));
        }
        else
        {
            coverage.Add("rows are marked as deleted");
            journal.MarkDeleted(id, random.NextInt64(last + 1));
        }
    }

    // Removes an id with one event. No older row shows that the event existed.
    private void RemoveGuest()
    {
        if (_rows.LastOrDefault(row => row.DeletedAt is null && row.PersistenceId.StartsWith("guest-", StringComparison.Ordinal)) is not { } guest)
            return;
        coverage.AddIf(guest.Ordering == journal.Last?.Ordering, "the newest row is removed");
        journal.Remove(guest.PersistenceId, long.MaxValue);
    }
}
