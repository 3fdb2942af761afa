using Throttled.Projections.Failures;
using Throttled.Projections.Lanes;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>A lane without threads: its writer and its commands, step by step, on a store that answers at once.</summary>
internal sealed class ScriptedRunner : IDisposable
{
    private readonly LaneContext _context;
    private readonly LaneRow _row;
    private readonly LaneWriter _writer;
    private readonly LaneCommands _commands;
    private readonly LaneOffsets _offsets;
    private readonly LaneOffsets _start;
    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationTokenSource _abort = new();
    private long _read;

    /// <exception cref="FencedException">The lane is of another epoch.</exception>
    internal ScriptedRunner(LaneContext context, LaneRow row, long epoch)
    {
        _context = context;
        _row = row;
        var health = new LaneHealth();
        var delays = new RetryDelays(context, _stopping.Token);
        var retry = new StoreRetry(context, row.Lane, health, delays);
        var record = AtOnce(retry.ExecuteAsync(() => context.Store.ReadLaneAsync(context.Version, row.Slices, default), default));
        if (record.Epoch != epoch)
            throw new FencedException("another epoch");
        _start = new(record.Offsets);
        _offsets = new(record.Offsets);
        _read = _start.Lowest;
        var deadLetterIds = new DeadLetterIds(record.DeadLetterIds, record.DeadLetters, context.DeadLettersPerLane);
        var transactions = new LaneTransactions(context, epoch, _offsets, deadLetterIds, health, retry);
        _writer = new(context, row.Lane, _offsets, deadLetterIds, transactions, delays);
        _commands = new(context, row.Lane, _offsets, deadLetterIds, transactions, _writer);
    }

    /// <summary>Requests the stop.</summary>
    internal void Stop(bool isAborted)
    {
        _stopping.Cancel();
        if (isAborted)
            _abort.Cancel();
    }

    /// <returns>Whether there was anything to do.</returns>
    internal bool Step(IReadOnlyList<JournalEvent> journal, long visible)
    {
        var batch = new LaneBatch();
        var events = journal.Where(IsWanted).Where(stored => stored.Ordering <= visible).Take(_context.Options.BatchSize).ToList();
        events.ForEach(stored => batch.Add(DecodedEvent.Decode(stored, _context.Decode), stored.Bytes));
        if (events.Count < _context.Options.BatchSize)
            batch.Pass(new(visible, visible * 10));
        if (batch.ReadUpTo.Ordering <= _read)
            return false;
        _read = batch.ReadUpTo.Ordering;
        AtOnce(_writer.WriteAsync(batch, _abort.Token));
        return true;
    }

    /// <summary>Executes all parts of a command.</summary>
    internal void Execute(CommandRow command)
    {
        while (!ExecutePart(command))
        {
        }
    }

    /// <returns>Whether the command has ended.</returns>
    internal bool ExecutePart(CommandRow command) => AtOnce(_commands.ExecuteAsync(command, _abort.Token));

    public void Dispose()
    {
        _stopping.Dispose();
        _abort.Dispose();
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
