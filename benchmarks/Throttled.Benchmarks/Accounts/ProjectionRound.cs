using System.Diagnostics;
using BankAccounts.Databases;
using BankAccounts.Domain;
using BankAccounts.Handlers;
using Throttled.Projections;

namespace Throttled.Benchmarks.Accounts;

/// <summary>One replay by a projection, from an empty read model to the last event.</summary>
internal sealed class ProjectionRound
{
    /// <summary>The name of the projection and of its first version.</summary>
    internal const string Name = "replay";

    private static readonly TimeSpan Tick = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan Look = TimeSpan.FromSeconds(1);

    private readonly IBankDatabase _database;
    private readonly ReplayRow _row;
    private readonly ProjectionHandler _handler;
    private long _handled;
    private long _firstHalf;
    private long _secondHalf;

    internal ProjectionRound(IBankDatabase database, ReplayRow row)
    {
        (_database, _row) = (database, row);
        _handler = ReplayHandler.Of(new(Name, database.Sql, isMended: true), row.Writer, events => Interlocked.Add(ref _handled, events));
    }

    internal async Task<RoundFigures> RunAsync(CancellationToken cancellation)
    {
        var before = GC.GetTotalMemory(forceFullCollection: true);
        await using var journal = _database.OpenReader(new JournalOptions { Tables = ReplayDatabase.TablesOf(_row.Shape) });
        var watch = Stopwatch.StartNew();
        await using var projection = new Projection(journal, _database.ReadModel, _handler, new ProjectionOptions
        {
            Name = Name,
            BatchSize = _row.Batch,
            Lanes = _row.Lanes,
            // Room for one large batch per lane that is being written, and for the next one.
            MaxBufferedBytes = 512L * 1024 * 1024,
            Decoder = AccountFormat.ForProjection().Decode,
        });
        projection.Start();
        await ArriveAsync(projection, cancellation);
        var seconds = watch.Elapsed.TotalSeconds;
        await projection.StopAsync(cancellation);
        return new(seconds, before, _firstHalf, _secondHalf);
    }

    // The handler's count shows, without a query, when to ask the database how many events are committed. Offsets would not do:
    // after the last event of a lane, its offset moves to the journal end only after some time.
    private async Task ArriveAsync(Projection projection, CancellationToken cancellation)
    {
        var control = new ProjectionControl(_database.ReadModel);
        var looked = Stopwatch.StartNew();
        while (true)
        {
            if (projection.Completion.IsCompleted)
                await projection.Completion;
            if (Interlocked.Read(ref _handled) >= _row.Shape.Events || looked.Elapsed > Look)
            {
                if (await CommittedAsync(control, cancellation) >= _row.Shape.Events)
                    return;
                looked.Restart();
            }
            var bytes = GC.GetTotalMemory(forceFullCollection: false);
            if (2 * Interlocked.Read(ref _handled) < _row.Shape.Events)
                _firstHalf = Math.Max(_firstHalf, bytes);
            else
                _secondHalf = Math.Max(_secondHalf, bytes);
            await Task.Delay(Tick, cancellation);
        }
    }

    private async Task<long> CommittedAsync(ProjectionControl control, CancellationToken cancellation)
    {
        var status = (await control.StatusAsync(Name, cancellation)).FirstOrDefault(one => one.Version == Name);
        return status?.Lanes.FirstOrDefault(lane => lane.State == LaneState.Failed) is { } failed
            ? throw new InvalidOperationException($"The replay '{_row.Name}' stopped at an event: {failed.Error}")
            : status?.Events ?? 0;
    }
}

/// <summary>What came of one round.</summary>
/// <param name="Seconds">From the start until the last event is committed.</param>
/// <param name="BytesBefore">The managed memory in use before the start, after a collection.</param>
/// <param name="FirstHalf">The most managed memory in use, in bytes, until half of the events were handled.</param>
/// <param name="SecondHalf">The same after that.</param>
internal readonly record struct RoundFigures(double Seconds, long BytesBefore, long FirstHalf, long SecondHalf)
{
    internal RoundFigures Most(RoundFigures other) =>
        new(Seconds, Math.Max(BytesBefore, other.BytesBefore), Math.Max(FirstHalf, other.FirstHalf), Math.Max(SecondHalf, other.SecondHalf));
}
