using System.Data.Common;
using Throttled.Faults.Bounds;
using Throttled.Projections;

namespace Throttled.Faults.Projections.Bank;

/// <summary>A bank's projection in the process of the tests. It must not end, whatever happens to its databases.</summary>
internal sealed class BankRun : IAsyncDisposable
{
    // Log ids of a defect, of the end of the projection in a process, and of stopped lanes.
    private static readonly int[] Fatal = [13, 103, 134, 135];

    private readonly EngineLog _log = new();
    private readonly JournalReader _journal;
    private readonly DbDataSource _source;
    private readonly Projection _projection;

    private BankRun(BankWork work, Strikes strikes)
    {
        _journal = work.Place.OpenJournal();
        _source = work.Place.OpenSource();
        _projection = new(
            _journal, work.Place.ReadModelOf(_source), new BankHandler(work, strikes.PassedAsync), work.Options with { LoggerFactory = _log });
        _projection.Start();
    }

    /// <summary>How often the read model database became unavailable.</summary>
    internal int Waits => _log.CountOf(106);

    internal static BankRun Start(BankWork work, Strikes strikes) => new(work, strikes);

    /// <summary>Asserts that neither the projection nor one of its lanes has ended.</summary>
    internal void Goes()
    {
        Assert.False(_projection.Completion.IsCompleted, "The projection has ended.");
        Assert.All(Fatal, id => Assert.Equal(0, _log.CountOf(id)));
    }

    public async ValueTask DisposeAsync()
    {
        await _projection.DisposeAsync();
        await _journal.DisposeAsync();
        await _source.DisposeAsync();
    }
}
