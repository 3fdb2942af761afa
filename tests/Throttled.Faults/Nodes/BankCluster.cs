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
    private long _most;

    private BankCluster(PostgreSqlServer server, BankOfTest bank, ITestOutputHelper output)
    {
        (_server, _bank, _output) = (server, bank, output);
        _watch = new(bank.Place.Journal);
    }

    internal Random Random => _bank.Random;

    internal NodeNetwork Network => _network;

    internal PostgreSqlServer Server => _server;

    internal BankOfTest Bank => _bank;

    /// <summary>The nodes that run, the oldest first.</summary>
    internal IReadOnlyList<BankNode> Nodes => _nodes;

    /// <summary>The node that reads for all.</summary>
    internal BankNode FeedNode => _nodes.First(node => node.HasFeed);

    internal static async Task<BankCluster> StartAsync(ITestOutputHelper output)
    {
        var server = PostgreSqlServer.Start(settings: Settings);
        var bank = await BankOfTest.OpenAsync(BankHost.OnServer(server), output);
        await bank.ExecuteAsync(NodeTables.SlowDown);
        var cluster = new BankCluster(server, bank, output);
        await bank.AppendAsync(500, NodeTables.Accounts);
        return cluster;
    }

    /// <summary>Repeats a fault.</summary>
    /// <param name="fault">Its name.</param>
    /// <param name="strike">
    /// Causes the fault in the middle of the work, and returns when its consequences are visible. It returns the nodes that the fault ended.
    /// </param>
    /// <param name="beyond">Statements that may run beyond the budget, as documented.</param>
    internal async Task RunAsync(string fault, Func<int, Task<IEnumerable<BankNode>>> strike, int beyond = 0)
    {
        try
        {
            var rounds = LongShare.Of(20);
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

    /// <summary>Starts a node, and waits until it reads.</summary>
    /// <param name="address">Its address; null for a new one.</param>
    /// <param name="isLater">Whether it is of the later version.</param>
    internal async Task<BankNode> StartNodeAsync(NodeAddress? address = null, bool isLater = false)
    {
        address ??= _network.NewAddress();
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

    /// <summary>Makes a node keep its next batches open, and waits until it has one. The node may have no lanes at first.</summary>
    internal async Task PauseAsync(BankNode node)
    {
        await node.PauseAsync();
        for (var tries = 0; !node.IsPaused; tries++)
        {
            Assert.True(tries < 30, $"{node.Host} handles no events.");
            await AppendAsync(100);
            await Wait.UntilAsync(async () => node.IsPaused || await HandledAsync() >= _bank.Events, () => $"a batch of {node.Host}, or all events handled");
        }
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
            () => $"{events} events handled; there are {handled}",
            TimeSpan.FromMinutes(2));
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
        TakeOutDowned();
        while (_nodes.Count < Size)
            await StartNodeAsync();
        foreach (var node in _nodes)
            await node.UntilReadingAsync();
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
        foreach (var session in await _bank.ReadAsync(NodeTables.Sessions, row => row.GetString(0)))
            _output.WriteLine(session);
    }
}
