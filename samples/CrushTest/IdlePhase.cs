using CrushTest.Databases;
using CrushTest.Engine;
using CrushTest.Settings;
using CrushTest.Show;

namespace CrushTest;

/// <summary>The cost of idle queries, and how fast they receive new events.</summary>
/// <param name="Kept">The managed heap while all queries were idle; measured only without Akka.</param>
/// <param name="StatementsPerSecond">The statements of the whole engine.</param>
internal sealed record IdleFigures(long Kept, double StatementsPerSecond, DeliveryTimes Delivery);

/// <summary>After the last event: watches the idle queries, then appends events to some of their ids.</summary>
internal sealed class IdlePhase(CrushSettings settings, CrushJournal journal, IView view)
{
    internal async Task<IdleFigures> RunAsync(Round round, Delivery delivery, string[] ids, CancellationToken cancellation)
    {
        var (kept, statements) = (0L, 0.0);
        DeliveryTimes? times = null;
        var measures = round.Measures;
        Figure[] figures = [new("following", () => measures.Following), new("statements", () => measures.Statements, HasRate: true)];
        await view.RunAsync("idle", figures, async () =>
        {
            if (!await round.Following.AllFollowAsync(settings.Streams, cancellation))
                return $"only {measures.Following:N0} of {settings.Streams:N0} queries have caught up";
            kept = settings.HasActors ? 0 : Memory.Kept();
            await round.Following.SettleAsync(cancellation);
            var before = measures.Statements;
            await Task.Delay(settings.Idle, cancellation);
            statements = (measures.Statements - before) / settings.Idle.TotalSeconds;
            return $"{settings.Streams:N0} queries follow, {statements:N1} statements/s";
        });
        await view.RunAsync("delivery", figures, async () =>
        {
            times = await delivery.RunAsync(journal, ids, cancellation);
            return $"p50 {times.P50:N1} ms, p99 {times.P99:N1} ms";
        });
        return new(kept, statements, times!);
    }
}
