using Akka.Actor;
using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;
using Throttled.Projections;
using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Tests.Documents;

/// <summary>A persistent actor that answers when the read model has its event. It handles other messages meanwhile.</summary>
public sealed class OrderActorTests : IAsyncLifetime, IDisposable
{
    private static readonly TimeSpan Long = TimeSpan.FromMinutes(2);

    private readonly JournalFile _file = new();
    private ActorSystem _system = null!;
    private JournalReader _journal = null!;
    private ReadModelDatabase _readModel = null!;

    public async Task InitializeAsync()
    {
        await using (var appender = SqliteJournal.OpenAppender(_file.ConnectionString))
            await appender.CreateAsync();
        _system = ActorSystem.Create("orders", $$"""
            {{AkkaTimeouts.Hocon}}
            akka.persistence.journal.plugin = "akka.persistence.journal.sql"
            akka.persistence.journal.sql {
              class = "Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql"
              connection-string = "{{_file.ConnectionString}}"
              provider-name = "SQLite.MS"
            }
            """);
        _journal = _system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier).Reader;
        _readModel = ReadModelDatabase.Sqlite(SqliteFactory.Instance.CreateDataSource(_file.ConnectionString));
    }

    public Task DisposeAsync() => _system.Terminate();

    public void Dispose() => _file.Dispose();

    [Fact]
    public async Task The_answer_comes_when_the_read_model_has_the_event_and_the_actor_is_not_blocked_meanwhile()
    {
        await using var projection = await PausedAsync();
        // The time-out passes only if the test moves the clock.
        var clock = new FakeClock();
        var order = Order(new ProjectionWaits(_journal, _readModel, clock));

        var answer = order.Ask<OrderAnswer>(new PlaceOrder("tea"), Long);
        Assert.Equal("still there?", await order.Ask<string>("still there?", Long));
        Assert.False(answer.IsCompleted);

        await new ProjectionControl(_readModel).ResumeAsync("orders");
        await Wait.UntilAsync(async () => (await new ProjectionControl(_readModel).StatusAsync("orders"))[0].Events == 1, () => "the projection has the event");
        await Wait.UntilAsync(
            () =>
            {
                // The pause before the next poll. The time-out is later.
                if (clock.NextRing is { } ring && ring - clock.Now < TimeSpan.FromSeconds(1))
                    clock.Advance(ring - clock.Now);
                return answer.IsCompleted;
            },
            "the answer");
        Assert.Equal(OrderAnswer.Shown, await answer);
    }

    [Fact]
    public async Task A_read_model_that_is_late_is_an_answer_and_no_failure()
    {
        await using var projection = await PausedAsync();
        var clock = new FakeClock();
        var answer = Order(new ProjectionWaits(_journal, _readModel, clock)).Ask<OrderAnswer>(new PlaceOrder("tea"), Long);
        await Wait.UntilAsync(
            () =>
            {
                clock.Advance(TimeSpan.FromSeconds(1));
                return answer.IsCompleted;
            },
            "the answer");
        Assert.Equal(OrderAnswer.NotShownYet, await answer);
    }

    private IActorRef Order(ProjectionWaits waits) => _system.ActorOf(Props.Create(() => new OrderActor("order-1", waits)));

    private async Task<Projection> PausedAsync()
    {
        var handler = new HandlerBuilder().AtLeastOnce<OrderPlaced>((_, _, _) => Task.CompletedTask).Build();
        var projection = new Projection(_journal, _readModel, handler, new() { Name = "orders", Lanes = 2, Decoder = ThrottledReadJournal.PayloadDecoder(_system) });
        projection.Start();
        await Wait.UntilAsync(async () => (await new ProjectionControl(_readModel).StatusAsync("orders")).Count == 1, () => "the projection has started");
        await new ProjectionControl(_readModel).PauseAsync("orders");
        return projection;
    }
}
