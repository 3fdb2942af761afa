using Throttled.Journal;
using Throttled.Projections.Failures;
using Throttled.Projections.Lanes;
using Throttled.Projections.Positions;
using Throttled.Projections.Store;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>A lane without threads: its writer and its commands, step by step, on a store that answers at once.</summary>
internal sealed class ScriptedRunner : IDisposable
{
    private readonly LaneParts _parts;
    private readonly LaneRow _row;
    private readonly LaneWriter _writer;
    private readonly LaneCommands _commands;
    private readonly LanePositions _positions;
    private readonly LanePositions _start;
    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationTokenSource _hurry = new();
    private long _read;

    /// <exception cref="FencedException">It is of another epoch.</exception>
    internal ScriptedRunner(LaneParts parts, LaneRow row, long epoch)
    {
        _parts = parts;
        _row = row;
        var board = new LaneBoard();
        var pauses = new LanePauses(parts, _stopping.Token);
        var patience = new StorePatience(parts, row.Lane, board, pauses);
        var record = AtOnce(patience.AskAsync(() => parts.Store.ReadLaneAsync(parts.Target, row.Slices, default), default));
        if (record.Epoch != epoch)
            throw new FencedException("another epoch");
        _start = new(record.Positions);
        _positions = new(record.Positions);
        _read = _start.Lowest;
        var parked = new ParkedIds(record.ParkedIds, record.DeadLetters, parts.LettersPerLane);
        var transactions = new LaneTransactions(parts, epoch, _positions, parked, board, patience);
        _writer = new(parts, row.Lane, _positions, parked, transactions, pauses);
        _commands = new(parts, row.Lane, _positions, parked, transactions, pauses);
    }

    /// <summary>Told to stop.</summary>
    internal void Stop(bool hurries)
    {
        _stopping.Cancel();
        if (hurries)
            _hurry.Cancel();
    }

    /// <returns>Whether there was anything to do.</returns>
    internal bool Step(IReadOnlyList<JournalEvent> journal, long visible)
    {
        var batch = new LaneBatch();
        var events = journal.Where(IsWanted).Where(stored => stored.Ordering <= visible).Take(_parts.Options.BatchSize).ToList();
        events.ForEach(stored => batch.Add(LaneEvent.Decode(stored, _parts.Decode), stored.Bytes));
        if (events.Count < _parts.Options.BatchSize)
            batch.Pass(new(visible, visible * 10));
        if (batch.Through.Ordering <= _read)
            return false;
        _read = batch.Through.Ordering;
        AtOnce(_writer.WriteAsync(batch, _hurry.Token));
        return true;
    }

    internal void Execute(CommandRow command) => AtOnce(_commands.ExecuteAsync(command, _hurry.Token));

    public void Dispose()
    {
        _stopping.Dispose();
        _hurry.Dispose();
    }

    private bool IsWanted(JournalEvent stored)
    {
        var slice = JournalSlices.Of(stored.PersistenceId);
        return stored.Ordering > _read && _row.Slices.Contains(slice) && _start.IsNew(slice, stored.Ordering);
    }

    private static void AtOnce(Task task)
    {
        Assert.True(task.IsCompleted, "Nothing here waits.");
        task.GetAwaiter().GetResult();
    }

    private static T AtOnce<T>(Task<T> task)
    {
        AtOnce((Task)task);
        return task.GetAwaiter().GetResult();
    }
}
