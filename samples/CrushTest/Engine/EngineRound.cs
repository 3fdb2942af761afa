using CrushTest.Databases;
using CrushTest.Settings;

namespace CrushTest.Engine;

/// <summary>Live queries of the engine without Akka, each read by a loop. A round has its own reader.</summary>
internal sealed class EngineRound : Round
{
    private readonly EngineLog _log = new();
    private readonly Consumers _consumers;

    internal EngineRound(CrushSettings settings, CrushJournal journal, string[] ids, Action<int, long> late)
        : base(settings, journal, new(ids, settings.Events, late))
    {
        _consumers = new(ids, Tally);
        Reader = journal.OpenReader(new JournalOptions
        {
            MaxBufferSize = settings.Page,
            MaxConcurrentQueries = settings.Permits,
            RefreshInterval = settings.RefreshInterval,
            LoggerFactory = _log,
        });
    }

    internal JournalReader Reader { get; }

    protected override int Started => _consumers.Started;

    /// <summary>The permits in effect on each database. This runs a statement, so call it after the measurement.</summary>
    internal async Task<int[]> PermitsAsync(CancellationToken cancellation) =>
        [.. (await Task.WhenAll(Reader.Journal.Shards.Select(part => part.CheckHealthAsync(cancellation)))).Select(health => health.Permits)];

    internal override string[] Warnings() => _log.Warnings();

    protected override Task Start(CancellationToken cancellation)
    {
        _consumers.Start(id => Reader.EventsByPersistenceId(id));
        return _consumers.AllDelivered;
    }

    protected override async Task EndAsync()
    {
        await Reader.DisposeAsync();
        await _consumers.EndAsync();
    }
}
