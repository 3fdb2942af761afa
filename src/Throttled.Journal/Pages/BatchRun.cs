using System.Diagnostics.CodeAnalysis;
using Throttled.Journal.Database;
using Throttled.Journal.Loop;
using Throttled.Journal.Permits;

namespace Throttled.Journal.Pages;

/// <summary>One run of a page statement, from its permit to its end.</summary>
[SuppressMessage("Reliability", "CA1001", Justification = "A cancellation may still be on its way to the source when the run ends; it holds nothing but memory.")]
internal sealed class BatchRun
{
    private readonly JournalContext _context;
    private readonly Action<BatchRun> _ended;
    private readonly CancellationTokenSource _cancellation = new();
    private bool _isComplete;

    internal BatchRun(JournalContext context, StatementSlot slot, PageBatch batch, BatchRead statement, Action<BatchRun> ended)
    {
        _context = context;
        _ended = ended;
        Slot = slot;
        Batch = batch;
        Read = statement;
        batch.Run = this;
    }

    internal StatementSlot Slot { get; }

    internal PageBatch Batch { get; }

    internal BatchRead Read { get; }

    /// <summary>The circuit breaker's epoch at the start.</summary>
    internal int BreakerEpoch { get; init; }

    /// <summary>The server that answered at the start; null if the database does not report it.</summary>
    internal string? Server { get; init; }

    internal Exception? Error { get; private set; }

    internal void Start() => _context.Loop.RunOutside(RunAsync, _ => End());

    internal void Cancel() => _context.Loop.RunOutside(new Cancellation(_cancellation));

    // When the pages are complete, only a metrics listener can fail. Its exception is ignored.
    private async Task RunAsync()
    {
        try
        {
            await _context.Metrics.MeasureAsync("page", ReadAsync, _cancellation.Token).ConfigureAwait(false);
        }
        catch (Exception error) when (!_isComplete)
        {
            Error = error;
            Read.Rows.Discard();
        }
    }

    private async Task ReadAsync()
    {
        await Read.RunAsync(_context.Database, _cancellation.Token).ConfigureAwait(false);
        Read.Rows.Complete();
        _isComplete = true;
    }

    private void End()
    {
        Batch.Run = null;
        _ended(this);
    }
}
