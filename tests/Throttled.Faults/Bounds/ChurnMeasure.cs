using System.Diagnostics;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Bounds;

/// <summary>Runs a churn on its own reader, and compares its costs with the bounds.</summary>
internal sealed class ChurnMeasure : IAsyncDisposable
{
    private const int Permits = 8;
    private const int Ids = 200;
    private const int Polls = 10;

    // Memory per place of the crowd: garbage that is not collected yet, and spare room of lists.
    private const int BytesEach = 64;

    // Lists and pools that are filled once, for any size.
    private const long BytesOnce = 2 * 1024 * 1024;

    private const int MoreThreads = 8;

    // The thread pool adds threads to test whether they help, and more of them while threads wait for a core.
    private const int MorePoolThreads = 16;

    private static readonly TimeSpan Interval = TimeSpan.FromMilliseconds(100);

    private readonly JournalUnderTest _journal;
    private readonly ChurnSize _size;
    private readonly ChurnJournal _events;
    private readonly EngineLog _log = new();
    private readonly Unobserved _unobserved = new();
    private readonly StatementMeter _meter;
    private readonly JournalReader _reader;
    private readonly Churn _churn;
    private readonly List<string> _figures = [];

    private ChurnMeasure(JournalUnderTest journal, ChurnSize size, int seed)
    {
        (_journal, _size) = (journal, size);
        _events = new(journal, Ids);
        (_meter, _reader) = StatementMeter.Of(() => journal.OpenReader(new()
        {
            MaxConcurrentQueries = Permits, MaxBufferSize = 10, RefreshInterval = Interval, LoggerFactory = _log,
        }));
        _churn = new(_reader, _events, size.Places, seed);
    }

    internal static async Task<ChurnMeasure> OpenAsync(JournalUnderTest journal, ChurnSize size, int seed)
    {
        var measure = new ChurnMeasure(journal, size, seed);
        await measure._events.WriteAsync(30 * Ids);
        return measure;
    }

    /// <summary>The figures so far.</summary>
    internal IReadOnlyList<string> Figures => _figures;

    internal async Task RunAsync()
    {
        var before = Heap.Kept();
        var running = RoundsAsync();
        var most = await _journal.MostStatementsAsync(_reader, until: running);
        await running;
        await NothingIsLeftAsync();
        Figure($"{_churn.Opened} queries opened, {_size.Places} at a time; at most {most} statements at once ({Permits} permits and that of the tail)");
        Assert.InRange(most, 1, Permits + 1);
        await IdleOnesCostNothingAsync();
        await NothingIsLeftAsync();
        var left = Heap.Kept() - before;
        Figure($"{left} bytes of memory more than before, {left / _size.Places} for each query of the crowd");
        if (_size.MeasuresMemory)
            Assert.InRange(left, long.MinValue, BytesOnce + (_size.Places * (long)BytesEach));
        _unobserved.AreNone();
        Assert.Null(_log.Defect);
    }

    public async ValueTask DisposeAsync()
    {
        await _reader.DisposeAsync();
        _meter.Dispose();
        _unobserved.Dispose();
    }

    private async Task RoundsAsync()
    {
        var (memory, threads) = (new List<double>(), new List<ThreadCount>());
        var start = Stopwatch.GetTimestamp();
        _churn.Reopen(_size.Places);
        for (var round = 0; round < _size.Rounds; round++)
        {
            await RoundAsync(withOutage: round % 4 == 1);
            await _churn.LetAllThroughAsync();
            memory.Add((Heap.Kept() - _meter.Buffered) / (double)_churn.Open);
            threads.Add(ThreadCount.Now());
        }
        Figure($"{_size.Rounds} rounds in {Stopwatch.GetElapsedTime(start).TotalSeconds:0.0} s; {_log.CountOf(1) + _log.CountOf(3)} outages; {_meter}");
        await _churn.LeaveAsync();
        StayedFlat(memory);
        DidNotGrow(threads);
    }

    private async Task RoundAsync(bool withOutage)
    {
        for (var step = 0; step < ChurnSize.StepsOfRound; step++)
        {
            await _events.WriteAsync(20);
            _churn.Reopen(_size.Step);
            if (withOutage && step == 2)
                await OutageAsync();
            await _churn.LetSomeThroughAsync();
        }
    }

    // Some queries are opened and left before the outage, some during it.
    private async Task OutageAsync()
    {
        await _events.BreakAsync();
        _churn.Reopen(_size.Step);
        await Wait.UntilAsync(async () => !await EngineBooks.IsUpAsync(_reader), () => "an outage");
        _churn.Reopen(_size.Step);
        await _events.RestoreAsync();
        if (_journal is PostgreSqlJournalUnderTest postgreSql)
            await postgreSql.TerminateReadersAsync();
    }

    private async Task NothingIsLeftAsync()
    {
        await Wait.UntilAsync(
            async () => await EngineBooks.OfAsync(_reader) == EngineBooks.Empty, () => "an empty engine");
        Assert.Equal(EngineBooks.Empty, await EngineBooks.OfAsync(_reader));
        if (_journal is PostgreSqlJournalUnderTest postgreSql)
            await Wait.UntilAsync(async () => await postgreSql.RunningAsync() == 0, () => "the end of all statements");
    }

    private async Task IdleOnesCostNothingAsync()
    {
        _churn.FillWithLive();
        await _churn.LetAllThroughAsync();
        await _meter.UntilFollowingAsync(_size.Places);
        await _meter.MoreAsync(2, "keys");
        await _churn.LetAllThroughAsync();
        var (start, statements, keys) = (Stopwatch.GetTimestamp(), _meter.Statements, _meter.Of("keys"));
        await _meter.MoreAsync(Polls, "keys");
        var (took, all, polls) = (Stopwatch.GetElapsedTime(start), _meter.Statements - statements, _meter.Of("keys") - keys);
        Figure($"{_size.Places} idle queries of all kinds: {all} statements in {took.TotalMilliseconds:0} ms, all of them of the tail");
        Assert.Equal(polls, all);
        Assert.True(took >= (polls - 1) * Interval * 0.9, $"{polls} polls took {took.TotalMilliseconds:0} ms.");
        await _churn.LeaveAsync();
    }

    private void StayedFlat(List<double> memory)
    {
        var (first, last) = (memory.Take(_size.Quarter).Average(), memory.TakeLast(_size.Quarter).Average());
        Figure($"Bytes for each open query, round by round: {string.Join(", ", memory.Select(each => $"{each:0}"))}");
        Figure($"{first:0} bytes for each open query in the first quarter, with that of its reader and without its page, {last:0} in the last");
        if (_size.MeasuresMemory)
            Assert.InRange(last - first, double.MinValue, BytesEach + (BytesOnce / (double)_size.Places));
    }

    private void DidNotGrow(List<ThreadCount> threads)
    {
        var (first, last) = (threads.Take(_size.Quarter).Aggregate((a, b) => a.Most(b)), threads[^1]);
        Figure($"{first} in the first quarter, {last} at the end");
        Assert.InRange(last.Others, 1, first.Others + MoreThreads);
        Assert.InRange(last.Pool, 1, first.Pool + MorePoolThreads);
    }

    private void Figure(string text) => _figures.Add(text);
}
