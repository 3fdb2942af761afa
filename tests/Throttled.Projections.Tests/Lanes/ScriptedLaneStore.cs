using System.Collections.Concurrent;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>
/// A read model in memory. Its transactions lock the rows of their lane, and the test decides their outcome. <see cref="Committed"/> checks the
/// invariants at each commit.
/// </summary>
internal sealed class ScriptedLaneStore : ILaneStore
{
    private readonly Lock _lock = new();
    private readonly List<ScriptedLaneTransaction> _locking = [];
    private readonly List<ScriptedLaneTransaction> _inDoubt = [];
    private readonly SortedDictionary<long, DeadLetter> _deadLetters = [];
    private readonly Dictionary<long, (CommandState State, string Result)> _commands = [];
    private IReadOnlyList<SliceOffset> _offsets = [new(SliceRange.All, 0, 0)];
    private TaskCompletionSource _unlocked = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>The outcome of the next call.</summary>
    internal Func<StoreCall, CallFate> Fate { get; set; } = _ => CallFate.Done;

    /// <summary>Called after each commit, under the lock.</summary>
    internal Action<ScriptedLaneTransaction>? Committed { get; set; }

    internal ConcurrentQueue<string> Breaches { get; } = [];

    /// <summary>The effects of all handlers, in the order of the commits.</summary>
    internal List<JournalEvent> Effects { get; } = [];

    internal HashSet<long> Effected { get; } = [];

    /// <summary>Dead letters that were removed without an effect.</summary>
    internal HashSet<long> Discarded { get; } = [];

    internal long Epoch { get; private set; } = 1;

    /// <summary>The number of committed transactions.</summary>
    internal int Commits { get; private set; }

    /// <summary>The shards of the journal.</summary>
    internal ShardMap Map { get; init; } = ShardMap.Even(1);

    internal IReadOnlyList<SliceOffset> Offsets => Locked(() => _offsets);

    internal IReadOnlyList<DeadLetter> DeadLetters => Locked<IReadOnlyList<DeadLetter>>(() => [.. _deadLetters.Values]);

    internal (CommandState State, string Result) Command(long id) =>
        Locked(() => _commands.TryGetValue(id, out var end) ? end : (CommandState.Waiting, ""));

    internal T Locked<T>(Func<T> read)
    {
        lock (_lock)
            return read();
    }

    internal long OffsetOf(string persistenceId)
    {
        var slice = JournalSlices.Of(persistenceId);
        return _offsets.First(row => row.Slices.Contains(slice)).Ordering;
    }

    /// <summary>Sets another number of lanes, which begins a new epoch.</summary>
    internal IReadOnlyList<LaneRow> LayOut(int lanes, bool keepsEpoch = false)
    {
        lock (_lock)
        {
            _inDoubt.ToList().ForEach(Apply);
            var slices = new LaneLayout(lanes, Map).Of(SliceRange.All);
            _offsets = LaneSlices.Cut(_offsets, slices);
            Epoch += keepsEpoch ? 0 : 1;
            return [.. slices.Select((each, lane) => new LaneRow("balances", new(lane, each.First, each.Last, "here", LaneState.Idle, null, 0)))];
        }
    }

    /// <summary>Does the same as soon as no transaction locks a lane.</summary>
    internal async Task<IReadOnlyList<LaneRow>> LayOutAsync(int lanes)
    {
        while (true)
        {
            Task unlocked;
            lock (_lock)
            {
                _inDoubt.ToList().ForEach(Apply);
                if (_locking.Count == 0)
                    return LayOut(lanes);
                unlocked = _unlocked.Task;
            }
            await unlocked;
        }
    }

    /// <summary>Moves a lane as another runner of the same epoch would.</summary>
    internal void MoveElsewhere(SliceRange slices, long ordering)
    {
        lock (_lock)
            Replace(slices, new LaneOffsets(Within(slices)).MoveTo(ordering, 0, 0).To);
    }

    public Task<LaneCheckpoint> ReadLaneAsync(string version, SliceRange slices, CancellationToken cancellation)
    {
        Throw(StoreCall.ReadLane, cancellation);
        lock (_lock)
        {
            var rows = Within(slices);
            if (rows.Count == 0 || rows[0].Slices.First != slices.First || rows[^1].Slices.Last != slices.Last)
                throw new FencedException("the lanes were laid out anew");
            var letters = _deadLetters.Values.Where(deadLetter => slices.Contains(JournalSlices.Of(deadLetter.Event.PersistenceId))).ToList();
            return Task.FromResult(new LaneCheckpoint(Epoch, rows, letters.Select(deadLetter => deadLetter.Event.PersistenceId).ToHashSet(), letters.Count));
        }
    }

    public Task<IReadOnlyList<DeadLetter>> ReadDeadLettersAsync(string version, string persistenceId, int limit, CancellationToken cancellation)
    {
        Throw(StoreCall.ReadDeadLetters, cancellation);
        return Task.FromResult<IReadOnlyList<DeadLetter>>([.. DeadLetters.Where(deadLetter => deadLetter.Event.PersistenceId == persistenceId).Take(limit)]);
    }

    public Task<DeadLettersFound> FindDeadLettersAsync(string version, string persistenceId, long sequenceNumber, CancellationToken cancellation)
    {
        Throw(StoreCall.ReadDeadLetters, cancellation);
        var ofId = DeadLetters.Where(deadLetter => deadLetter.Event.PersistenceId == persistenceId).ToLookup(deadLetter => deadLetter.Event.SequenceNumber == sequenceNumber);
        return Task.FromResult(new DeadLettersFound([.. ofId[true].Select(deadLetter => deadLetter.Event.Ordering)], ofId[false].Any()));
    }

    public Task<ILaneTransaction> BeginAsync(string version, long epoch, CancellationToken cancellation)
    {
        Throw(StoreCall.Begin, cancellation);
        return Task.FromResult<ILaneTransaction>(new ScriptedLaneTransaction(this, epoch, cancellation));
    }

    public bool IsTransient(Exception error) => error is ReadModelFault { IsTransient: true };

    internal CallFate Throw(StoreCall call, CancellationToken cancellation)
    {
        cancellation.ThrowIfCancellationRequested();
        var fate = Fate(call);
        cancellation.ThrowIfCancellationRequested();
        return fate == CallFate.Fails ? throw new ReadModelFault($"{call} failed", isTransient: true) : fate;
    }

    /// <summary>Waits for the locks of a lane's rows. If a commit in doubt has these locks, it takes effect now.</summary>
    internal async Task LockAsync(ScriptedLaneTransaction transaction, OffsetMove move, CancellationToken cancellation)
    {
        var slices = new SliceRange(move.From[0].Slices.First, move.From[^1].Slices.Last);
        while (TryLock(transaction, slices) is { } unlocked)
            await unlocked.WaitAsync(cancellation);
        lock (_lock)
        {
            if (transaction.Epoch != Epoch || !Within(slices).SequenceEqual(move.From))
                throw new FencedException("another runner has moved the offsets");
        }
    }

    internal void Check(Func<bool> isThere, string what)
    {
        lock (_lock)
        {
            if (!isThere())
                throw new FencedException(what);
        }
    }

    internal bool HasDeadLetter(string id, long ordering) => _deadLetters.TryGetValue(ordering, out var deadLetter) && deadLetter.Event.PersistenceId == id;

    internal void Seed(DeadLetter deadLetter)
    {
        lock (_lock)
            _deadLetters[deadLetter.Event.Ordering] = deadLetter;
    }

    internal void Withdraw(long command)
    {
        lock (_lock)
            _commands[command] = (CommandState.Withdrawn, "");
    }

    internal bool HasEnded(long command) => _commands.ContainsKey(command);

    internal void Commit(ScriptedLaneTransaction transaction)
    {
        lock (_lock)
            Apply(transaction);
    }

    internal void Doubt(ScriptedLaneTransaction transaction)
    {
        lock (_lock)
        {
            _inDoubt.Add(transaction);
            Signal();
        }
    }

    /// <summary>Ends a transaction that was rolled back or has committed. A transaction in doubt keeps its locks.</summary>
    internal void End(ScriptedLaneTransaction transaction)
    {
        lock (_lock)
        {
            if (!_inDoubt.Contains(transaction))
                Unlock(transaction);
        }
    }

    private Task? TryLock(ScriptedLaneTransaction transaction, SliceRange slices)
    {
        lock (_lock)
        {
            _inDoubt.Where(each => Overlap(each.Slices, slices)).ToList().ForEach(Apply);
            if (_locking.Any(each => Overlap(each.Slices, slices)))
                return _unlocked.Task;
            transaction.Slices = slices;
            _locking.Add(transaction);
            return null;
        }
    }

    private void Apply(ScriptedLaneTransaction transaction)
    {
        _inDoubt.Remove(transaction);
        Commits++;
        Replace(transaction.Slices, transaction.Move!.To);
        foreach (var effect in transaction.Effects)
        {
            Effects.Add(effect);
            Effected.Add(effect.Ordering);
        }
        foreach (var ordering in transaction.RemovedDeadLetters)
        {
            _deadLetters.Remove(ordering);
            if (!Effected.Contains(ordering) && transaction.DeadLetters.All(deadLetter => deadLetter.Event.Ordering != ordering))
                Discarded.Add(ordering);
        }
        foreach (var deadLetter in transaction.DeadLetters)
            _deadLetters[deadLetter.Event.Ordering] = deadLetter;
        foreach (var (id, outcome) in transaction.Ended)
            _commands[id] = (outcome.State, outcome.Result);
        Unlock(transaction);
        Committed?.Invoke(transaction);
    }

    private void Unlock(ScriptedLaneTransaction transaction)
    {
        _locking.Remove(transaction);
        Signal();
    }

    // Transactions that wait for a lock try again.
    private void Signal()
    {
        _unlocked.TrySetResult();
        _unlocked = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }

    private void Replace(SliceRange slices, IReadOnlyList<SliceOffset> rows) => _offsets =
    [
        .. _offsets.Where(row => row.Slices.Last < slices.First), .. rows, .. _offsets.Where(row => row.Slices.First > slices.Last),
    ];

    private IReadOnlyList<SliceOffset> Within(SliceRange slices) => [.. _offsets.Where(row => Overlap(row.Slices, slices))];

    private static bool Overlap(SliceRange one, SliceRange other) => one.First <= other.Last && other.First <= one.Last;
}
