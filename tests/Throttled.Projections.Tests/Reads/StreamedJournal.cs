using System.Runtime.CompilerServices;
using Throttled.Journal.Queries;
using Throttled.Projections.Tests.Lanes;

namespace Throttled.Projections.Tests.Reads;

/// <summary>A journal in memory. Live queries read it in pages of ten events.</summary>
internal sealed class StreamedJournal
{
    private readonly Lock _lock = new();
    private readonly List<JournalEvent> _events = [];
    private readonly Dictionary<string, long> _numbers = [];
    private TaskCompletionSource _more = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _open;
    private int _opened;
    private int _delivered;
    private long _settled;

    /// <summary>The error of every query; null for none.</summary>
    internal Exception? Fault { get; set; }

    /// <summary>The number of queries that are open now.</summary>
    internal int Open => Volatile.Read(ref _open);

    /// <summary>The number of queries that were opened so far.</summary>
    internal int Opened => Volatile.Read(ref _opened);

    /// <summary>The number of events that queries delivered.</summary>
    internal int Delivered => Volatile.Read(ref _delivered);

    internal IReadOnlyList<JournalEvent> Events
    {
        get
        {
            lock (_lock)
                return [.. _events];
        }
    }

    internal IReadOnlyList<string> IdsOf(SliceRange slices)
    {
        lock (_lock)
            return [.. _numbers.Keys.Where(id => slices.Contains(JournalSlices.Of(id)))];
    }

    /// <summary>Persists events of ten ids in turn.</summary>
    internal void Add(int count, long from = 1, int bytes = 0)
    {
        lock (_lock)
        {
            for (var index = 0; index < count; index++)
            {
                var id = $"{index % 10}-account";
                _numbers[id] = _numbers.GetValueOrDefault(id) + 1;
                _events.Add(Make.Event(from + index, id, _numbers[id], bytes));
            }
            _more.TrySetResult();
            _more = new(TaskCreationOptions.RunContinuationsAsynchronously);
        }
    }

    /// <summary>The ordering up to which a query without further events has read. Later events are above it.</summary>
    internal long Settled
    {
        get => Interlocked.Read(ref _settled);
        set => Interlocked.Exchange(ref _settled, value);
    }

    private async IAsyncEnumerable<JournalEvent> ReadAsync(long after, [EnumeratorCancellation] CancellationToken cancellation = default)
    {
        Interlocked.Increment(ref _opened);
        Interlocked.Increment(ref _open);
        try
        {
            while (true)
            {
                if (Fault is { } fault)
                    throw fault;
                var (next, more) = Next(after);
                if (next is null)
                {
                    await more.WaitAsync(cancellation);
                    continue;
                }
                after = next.Ordering;
                // The next page.
                if (Interlocked.Increment(ref _delivered) % 10 == 0)
                    await Task.Yield();
                yield return next;
            }
        }
        finally
        {
            Interlocked.Decrement(ref _open);
        }
    }

    internal IAsyncEnumerable<JournalEvent> Read(long after) => new Query(this, after);

    private (JournalEvent? Next, Task More) Next(long after)
    {
        lock (_lock)
        {
            var index = _events.FindIndex(stored => stored.Ordering > after);
            return (index < 0 ? null : _events[index], _more.Task);
        }
    }

    private Scan? Scanned(long after)
    {
        lock (_lock)
            return _events.Exists(stored => stored.Ordering > after) ? null : new(Math.Max(after, Settled), IsFollowing: true);
    }

    private sealed class Query(StreamedJournal journal, long after) : IAsyncEnumerable<JournalEvent>
    {
        public IAsyncEnumerator<JournalEvent> GetAsyncEnumerator(CancellationToken cancellationToken) =>
            new Run(journal, after, journal.ReadAsync(after, cancellationToken).GetAsyncEnumerator(cancellationToken));
    }

    private sealed class Run(StreamedJournal journal, long after, IAsyncEnumerator<JournalEvent> events) : IAsyncEnumerator<JournalEvent>, IScanning
    {
        private long _given = after;

        public JournalEvent Current => events.Current;

        public async ValueTask<bool> MoveNextAsync()
        {
            if (!await events.MoveNextAsync())
                return false;
            Interlocked.Exchange(ref _given, events.Current.Ordering);
            return true;
        }

        public Task<Scan?> ScannedAsync() => Task.FromResult(journal.Scanned(Interlocked.Read(ref _given)));

        public ValueTask DisposeAsync() => events.DisposeAsync();
    }
}
