using Akka.Actor;
using Akka.Pattern;
using Akka.Persistence.Query.Throttled.Cluster.Daemons;
using Microsoft.Extensions.Logging;
using Throttled.Projections;
using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Cluster.Tests.Daemons;

/// <summary>Daemons of one node, without a cluster.</summary>
public sealed class LaneDaemonTests : IAsyncLifetime, IDisposable
{
    private readonly ActorSystem _system = ActorSystem.Create("node", "akka.loglevel = OFF");
    private readonly RecordedLog _log = new();
    private readonly NumberHandler _handler = new();
    private ProjectedFiles _files = null!;
    private JournalReader _journal = null!;
    private ProjectionNode _node = null!;
    private int _runs;
    private Func<ProjectionOptions, ProjectionOptions> _change = static options => options;

    public async Task InitializeAsync()
    {
        _files = await ProjectedFiles.CreateAsync(20);
        _journal = _files.OpenJournal();
        _node = new(ProjectedFiles.Name, 2, Create, _log.CreateLogger("node"));
    }

    public async Task DisposeAsync()
    {
        await _node.CloseAsync();
        await _system.Terminate();
        await _journal.DisposeAsync();
        await _files.DisposeAsync();
    }

    public void Dispose() => _log.Dispose();

    [Fact]
    public async Task The_first_daemon_starts_the_projection_and_the_last_stops_it()
    {
        var (first, second) = (Daemon(0), Daemon(1));
        await _files.OwnAsync("n n n n");
        await _files.HandledOnceAsync();
        await DrainAsync(first);
        Assert.Equal("- n - n", await _files.OwnersAsync());
        await DrainAsync(second);
        Assert.Equal("- - - -", await _files.OwnersAsync());
        Assert.Equal(1, _runs);
        Daemon(0);
        await _files.OwnAsync("n - n -");
        Assert.Equal(2, _runs);
    }

    [Fact]
    public async Task A_daemon_that_is_killed_gives_its_lanes_back()
    {
        var (first, _) = (Daemon(0), Daemon(1));
        await _files.OwnAsync("n n n n");
        first.Tell(PoisonPill.Instance);
        await _files.OwnAsync("- n - n");
    }

    [Fact]
    [Trait("Category", "Long")]
    public async Task A_drain_takes_no_longer_than_its_timeout_and_is_logged()
    {
        var held = _handler.Hold();
        var daemon = Daemon(0, TimeSpan.FromMilliseconds(200));
        Daemon(1);
        await _handler.Entered.Task.WithinAsync("a batch in hand");
        await _files.OwnAsync("n n n n");
        await DrainAsync(daemon);
        Assert.Equal(
            "Projection numbers: daemon 0 has stopped, but its lanes were not released within 0 s. They are released when their batches end; until then, other nodes wait for them.",
            Assert.Single(_log.TextsOf(204)));
        held.SetResult();
        await _files.OwnAsync("- n - n");
    }

    [Fact]
    public async Task A_projection_that_ends_is_logged_and_started_again()
    {
        Daemon(0);
        Daemon(1);
        await _files.OwnAsync("n n n n");
        await _node.CloseAsync();
        _node = new(ProjectedFiles.Name, 2, Create, _log.CreateLogger("node"));
        _change = static options => options with { Source = ProjectionSource.ByTag("another") };
        Daemon(0);
        await Wait.UntilAsync(() => _log.TextsOf(205).Count > 0, "the message");
        Assert.StartsWith("Projection numbers: has ended on this node, and its daemons start it again after a pause. The read model 'numbers'", _log.TextsOf(205)[0], StringComparison.Ordinal);
        _change = static options => options;
        await _files.OwnAsync("n - n -");
    }

    [Fact]
    public async Task A_daemon_that_waits_for_its_next_start_stops_at_once()
    {
        _change = static options => options with { Source = ProjectionSource.ByTag("another"), Lanes = 0 };
        var daemon = Daemon(0);
        await Wait.UntilAsync(
            async () => (await daemon.Ask<BackoffSupervisor.CurrentChild>(BackoffSupervisor.GetCurrentChild.Instance)).Ref.IsNobody() && _log.TextsOf(205).Count > 0, () => "the projection has ended");
        Assert.True(await daemon.GracefulStop(TimeSpan.FromSeconds(60), LaneDaemon.Drain.Instance));
        // It may have been started again before it was stopped. No end is logged twice.
        Assert.InRange(_log.TextsOf(205).Count, 1, _runs);
    }

    private IActorRef Daemon(int daemon, TimeSpan? timeout = null) =>
        _system.ActorOf(LaneDaemon.Supervised(_node, daemon, timeout ?? TimeSpan.FromSeconds(30)));

    private static async Task DrainAsync(IActorRef daemon) =>
        Assert.True(await daemon.GracefulStop(TimeSpan.FromSeconds(60), LaneDaemon.Drain.Instance));

    private Projection Create(LaneOwnership lanes)
    {
        Interlocked.Increment(ref _runs);
        var options = ProjectedFiles.Options(new() { Name = ProjectedFiles.Name, LaneOwnership = lanes }, "n");
        return new(_journal, _files.OpenReadModel(), _handler, _change(options));
    }
}
