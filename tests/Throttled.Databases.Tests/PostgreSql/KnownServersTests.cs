using Throttled.Testing.Scripted;

namespace Throttled.Journal.PostgreSql.Tests;

public sealed class KnownServersTests
{
    private static readonly ServerIdentity A = new("1", "10.0.0.1:5432");
    private static readonly ServerIdentity B = new("2", "10.0.0.2:5432");

    private static readonly TimeSpan HalfAMinute = TimeSpan.FromSeconds(30);

    private readonly FakeClock _clock = new();
    private readonly KnownServers _servers;

    public KnownServersTests() => _servers = new(_clock);

    [Fact]
    public void A_call_runs_only_on_the_server_that_the_engine_knows()
    {
        _servers.Meet(B, isProbe: false);
        _servers.Accept(A.Name);
        _servers.Meet(A, isProbe: false);
        var error = Assert.Throws<OtherServerException>(() => _servers.Meet(B, isProbe: false));
        Assert.Equal(Throttled.Journal.Database.FaultKind.ConnectionLost, PostgreSqlFaults.Classify(error));
        Assert.Equal((true, false), (_servers.Accepts(A), _servers.Accepts(B)));
    }

    [Fact]
    public void The_engine_moves_to_a_server_that_replaces_another()
    {
        Probe(A);
        Assert.False(_servers.IsDoubted);
        Assert.Throws<OtherServerException>(() => _servers.Meet(B, isProbe: false));
        Assert.True(_servers.IsDoubted);
        Probe(B);
        Assert.False(_servers.IsDoubted);
        _servers.Meet(B, isProbe: false);
        Assert.Throws<OtherServerException>(() => _servers.Meet(A, isProbe: false));
    }

    [Fact]
    public void A_restarted_server_is_not_called_another_one()
    {
        Probe(A);
        var error = Assert.Throws<OtherServerException>(() => _servers.Meet(A with { Name = "60000000" }, isProbe: false));
        Assert.Equal("The server was restarted (10.0.0.1:5432, started 1970-01-01 00:01:00 UTC), and no probe has read it since.", error.Message);
    }

    [Fact]
    public void Alternating_servers_are_refused_until_connections_have_led_to_one_for_30_s()
    {
        Probe(A);
        Assert.Throws<OtherServerException>(() => _servers.Meet(B, isProbe: false));
        var error = Assert.Throws<SeveralServersException>(() => Probe(A));
        Assert.Contains("10.0.0.1:5432", error.Message, StringComparison.Ordinal);
        Assert.Contains("10.0.0.2:5432", error.Message, StringComparison.Ordinal);
        Assert.Equal(Throttled.Journal.Database.FaultKind.Fatal, PostgreSqlFaults.Classify(error));
        _clock.Advance(TimeSpan.FromSeconds(29));
        Assert.True(_servers.IsDoubted);
        Assert.Throws<SeveralServersException>(() => Probe(A));
        _clock.Advance(TimeSpan.FromSeconds(1));
        Assert.False(_servers.IsDoubted);
        Probe(A);
        _servers.Meet(A, isProbe: false);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void Servers_that_never_return_are_never_refused(int seed)
    {
        var random = new Random(seed);
        for (var server = 0; server < 200; server++)
        {
            for (var openings = random.Next(1, 4); openings > 0; openings--)
                Probe(new($"{server}", "a"));
            _clock.Advance(TimeSpan.FromSeconds(random.Next(40)));
        }
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void A_server_that_returns_while_connections_lead_to_another_is_always_refused(int seed)
    {
        var random = new Random(seed);
        Probe(A);
        var (last, known) = (A, new HashSet<ServerIdentity> { A });
        for (var i = 0; i < 200; i++)
        {
            _clock.Advance(TimeSpan.FromSeconds(31));
            Probe(last);
            var server = random.Next(2) == 0 ? A : B;
            var comesBack = server != last && !known.Add(server);
            Assert.Equal(comesBack, Record.Exception(() => Probe(server)) is SeveralServersException);
            last = server;
        }
    }

    // The model keeps all connections that were ever opened.
    [Fact]
    public void Calls_run_only_on_the_accepted_server() =>
        Seeds.ForEach(200, seed => seed, Run);

    [Fact]
    [Trait("Category", "Long")]
    public void Calls_run_only_on_the_accepted_server_in_very_many_runs() => Seeds.ForEach(LongShare.Of(20_000), seed => seed, Run);

    private static void Run(int seed)
    {
        var (random, clock) = (new Random(seed), new FakeClock());
        var servers = new KnownServers(clock);
        List<(string Name, TimeSpan At)> met = [];
        ServerIdentity[] all = [A, B, new("3", "10.0.0.3:5432")];
        string? accepted = null;
        var address = A;
        for (var step = 0; step < 300; step++)
        {
            switch (random.Next(8))
            {
                case 0:
                    address = all[random.Next(all.Length)];
                    break;
                case 1:
                    clock.Advance(TimeSpan.FromSeconds(random.Next(1, random.Next(2) == 0 ? 4 : 40)));
                    break;
                // A probe succeeded a while ago.
                case 2:
                    servers.Accept(accepted = all[random.Next(all.Length)].Name);
                    break;
                default:
                    var isProbe = random.Next(3) == 0;
                    met.Add((address.Name, clock.Now));
                    var refused = Record.Exception(() => servers.Meet(address, isProbe))?.GetType();
                    var other = accepted is not null && accepted != address.Name ? typeof(OtherServerException) : null;
                    Assert.Equal(isProbe ? (TakeTurns(met, clock.Now) ? typeof(SeveralServersException) : null) : other, refused);
                    break;
            }
            Assert.All(all, server => Assert.Equal(accepted is null || accepted == server.Name, servers.Accepts(server)));
            Assert.Equal(TakeTurns(met, clock.Now) || (accepted is not null && met.LastOrDefault().Name != accepted), servers.IsDoubted);
        }
    }

    // In the last 30 seconds connections led to a server that they had led to before, and less than 30 seconds before that to another.
    private static bool TakeTurns(List<(string Name, TimeSpan At)> met, TimeSpan now)
    {
        for (var i = 2; i < met.Count; i++)
        {
            var (before, after) = (met[i - 1], met[i]);
            var cameBack = before.Name != after.Name && met.Take(i).Any(one => one.Name == after.Name);
            if (cameBack && after.At - before.At < HalfAMinute && now - after.At < HalfAMinute)
                return true;
        }
        return false;
    }

    private void Probe(ServerIdentity server)
    {
        _servers.Meet(server, isProbe: true);
        _servers.Accept(server.Name);
    }
}
