using Npgsql;
using Throttled.Faults.Projections.Bank;
using Throttled.Faults.World;

namespace Throttled.Faults.Nodes;

/// <summary>
/// A cluster of three nodes, which are processes, on one PostgreSQL server. A projection of bank accounts runs on daemons that read the cluster's feed,
/// and queries take all permits of the budget. After each fault, the balances must be exact.
/// </summary>
internal sealed class BankCluster : IAsyncDisposable
{
    /// <summary>A number of seconds for tests in which no node is downed: they certainly end before.</summary>
    internal const int WithoutDowning = 300;

    private const int Size = 3;
    private const int Lanes = 8;

    // A process that is stopped within a batch keeps its transaction open, and other nodes wait for the rows that it locks. So the server ends such a transaction.
    private static readonly Dictionary<string, string> Settings = new() { ["idle_in_transaction_session_timeout"] = "5s" };

    private readonly NodeNetwork _network = new();
    private readonly List<BankNode> _nodes = [];
    private readonly List<BankNode> _gone = [];
    private readonly ITestOutputHelper _output;
    private readonly PostgreSqlServer _server;
    private readonly BankOfTest _bank;
    private readonly StatementWatch _watch;
    private readonly int _stableAfter;
    private long _most;

    private BankCluster(PostgreSqlServer server, BankOfTest bank, ITestOutputHelper output, int stableAfter)
    {
        (_server, _bank, _output, _stableAfter) = (server, bank, output, stableAfter);
        _watch = new(bank.Place.Journal);
    }

    internal Random Random => _bank.Random;

    internal NodeNetwork Network => _network;

    internal PostgreSqlServer Server => _server;

    internal BankOfTest Bank => _bank;

    /// <summary>The nodes that run, the oldest first.</summary>
    internal IReadOnlyList<BankNode> Nodes => _nodes;

    /// <param name="output">The output of the test.</param>
    /// <param name="stableAfter">As in <see cref="NodeWork.StableAfterSeconds"/>.</param>
    internal static async Task<BankCluster> StartAsync(ITestOutputHelper output, int stableAfter = 3)
    {
        var server = PostgreSqlServer.Start(settings: Settings);
        var bank = await BankOfTest.OpenAsync(BankHost.OnServer(server), output);
        await bank.ExecuteAsync(NodeTables.SlowDown);
        var cluster = new BankCluster(server, bank, output, stableAfter);
        await bank.AppendAsync(500, NodeTables.Accounts);
        return cluster;
    }

    /// <summary>Repeats a fault.</summary>
    /// <param name="fault">Its name.</param>
    /// <param name="strike">
    /// Causes the fault in the middle of the work, and returns when its consequences are visible. It returns the nodes that the fault ended.
    /// </param>
    /// <param name="beyond">Statements that may run beyond the budget, as documented.</param>
    /// <param name="least">The number of rounds at the smallest share.</param>
    internal async Task RunAsync(string fault, Func<int, Task<IEnumerable<BankNode>>> strike, int beyond = 0, int least = 1)
    {
        try
        {
            var rounds = Math.Max(least, LongShare.Of(20));
            for (var round = 0; round < rounds; round++)
                await RunAsync(round, strike, beyond);
            FaultTable.Add(_output, fault, rounds, _bank.Events, 0, 0, FormattableString.Invariant($"{_most} of {NodeWork.Budget + Size}"));
        }
        catch
        {
            await DumpAsync();
            throw;
        }
    }

    internal BankNode Any() => _nodes[Random.Next(_nodes.Count)];

    /// <summary>Waits until all other nodes have seen that a node was removed.</summary>
    internal async Task UntilRemovedAsync(BankNode gone)
    {
        foreach (var node in _nodes.Where(node => node != gone))
            await node.UntilSeenAsync("removed", gone);
    }

    /// <summary>Starts a node, and waits until it reads.</summary>
    /// <param name="isLater">Whether it is of the later version.</param>
    internal async Task<BankNode> StartNodeAsync(bool isLater = false)
    {
        var address = _network.NewAddress();
        var place = _bank.Place;
        var reader = new NpgsqlConnectionStringBuilder(place.Journal) { Username = PostgreSqlServer.Reader };
        var node = new BankNode(new()
        {
            Bank = new()
            {
                Place = place with { Journal = reader.ConnectionString },
                Writing = Writing.Plain,
                Process = FormattableString.Invariant($"{address.Host} {_gone.Count + _nodes.Count}"),
                Lanes = Lanes,
            },
            Address = address,
            Seed = _nodes.FirstOrDefault()?.Work.Address ?? address,
            IsLater = isLater,
            StableAfterSeconds = _stableAfter,
        });
        _nodes.Add(node);
        if (_nodes.Count == 1)
            await node.Process.UntilAsync("up", 1);
        return node;
    }

    /// <summary>The node runs no more, or must not be counted any more.</summary>
    internal void Gone(BankNode node)
    {
        if (_nodes.Remove(node))
            _gone.Add(node);
    }

    internal Task AppendAsync(int events = 400) => _bank.AppendAsync(events, NodeTables.Accounts);

    /// <summary>Waits until a random part of the new events is handled, so that batches are open.</summary>
    internal Task UntilInTheMiddleAsync() => UntilHandledAsync(_bank.Events - Random.Next(100, 700));

    /// <summary>The node that reads for all. After a fault, the next one takes a moment to begin.</summary>
    internal async Task<BankNode> FeedNodeAsync()
    {
        await Wait.UntilAsync(() => _nodes.Any(node => node.HasFeed), "a node that reads for all");
        return _nodes.First(node => node.HasFeed);
    }

    /// <summary>
    /// Stops a node (SIGSTOP) that certainly has a batch open: a stopped process cannot end its transaction, and the server shows it after the stop. The
    /// node may have no lanes at first.
    /// </summary>
    internal async Task StopWithinBatchAsync(BankNode node)
    {
        await node.KeepAsync();
        await Wait.UntilAsync(() => IsStoppedWithinBatchAsync(node), () => $"a batch that {node.Host} keeps open");
    }

    internal async Task UntilHandledAsync(long events)
    {
        var handled = 0L;
        await Wait.UntilAsync(
            async () =>
            {
                handled = await HandledAsync();
                TakeOutDowned();
                Assert.NotEmpty(_nodes);
                return handled >= events;
            },
            () => $"{events} events handled; there are {handled}");
    }

    public async ValueTask DisposeAsync()
    {
        await _watch.DisposeAsync();
        foreach (var node in _nodes.Concat(_gone))
            await node.DisposeAsync();
        await _network.DisposeAsync();
        await _bank.DisposeAsync();
        _server.Dispose();
    }

    // On a machine with too much work, heartbeats are late and a node is downed. That is one more fault, which must be as harmless as the others.
    private void TakeOutDowned()
    {
        foreach (var node in _nodes.Where(node => node.Process.HasEnded).ToList())
        {
            Assert.True(node.WasDowned, $"Node {node.Host} has ended by itself, and was not downed.");
            _output.WriteLine($"{node.Host} was downed without a fault.");
            Gone(node);
        }
    }

    private async Task RunAsync(int round, Func<int, Task<IEnumerable<BankNode>>> strike, int beyond)
    {
        while (!await AllReadAsync())
        {
            TakeOutDowned();
            while (_nodes.Count < Size)
                await StartNodeAsync();
        }
        await AppendAsync(800);
        await UntilInTheMiddleAsync();
        foreach (var node in await strike(round))
            Gone(node);
        await AppendAsync();
        await UntilHandledAsync(_bank.Events);
        await _bank.CheckAsync();
        var (most, readers) = _watch.Take();
        _most = Math.Max(_most, most);
        Assert.True(most <= NodeWork.Budget + Size + beyond, $"{most} statements at once: {readers}");
        foreach (var node in _nodes.Concat(_gone))
            node.Check();
        _output.WriteLine(FormattableString.Invariant($"Round {round}: {most} statements at most."));
    }

    private async Task<bool> AllReadAsync()
    {
        foreach (var node in _nodes.TakeWhile(node => !node.Process.HasEnded))
            await node.UntilReadingAsync();
        return _nodes.Count == Size && _nodes.TrueForAll(node => !node.Process.HasEnded);
    }

    private async Task<bool> IsStoppedWithinBatchAsync(BankNode node)
    {
        Assert.False(node.Process.HasEnded, $"{node.Host} has ended, and was to be stopped.");
        if (await HasOpenBatchAsync(node))
        {
            await node.StopAsync();
            if (await HasOpenBatchAsync(node))
                return true;
            await node.ContinueAsync();
        }
        // Without events, no batch begins.
        else if (await HandledAsync() >= _bank.Events)
            await AppendAsync(100);
        return false;
    }

    private async Task<bool> HasOpenBatchAsync(BankNode node) =>
        (await _bank.ReadAsync(NodeTables.OpenBatches(node.Work.Address), row => row.GetInt64(0)))[0] > 0;

    // The server may have been killed.
    private async Task<long> HandledAsync()
    {
        try
        {
            return await _bank.HandledAsync();
        }
        catch (NpgsqlException)
        {
            return 0;
        }
    }

    private async Task DumpAsync()
    {
        foreach (var node in _nodes.Concat(_gone))
            _output.WriteLine($"-- {node.Host}\n{string.Join('\n', node.Process.Lines.TakeLast(40))}");
        foreach (var line in await _bank.ReadAsync($"{NodeTables.Sessions} UNION ALL {NodeTables.Lanes}", row => row.GetString(0)))
            _output.WriteLine(line);
    }
}
