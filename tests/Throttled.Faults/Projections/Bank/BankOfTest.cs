using System.Data.Common;
using BankAccounts.History;
using Microsoft.Data.SqlClient;
using Npgsql;
using Throttled.Faults.Processes;
using Throttled.Projections;

namespace Throttled.Faults.Projections.Bank;

/// <summary>The bank of a test: its journal and read model, the writes to them, and their comparison at the end.</summary>
internal sealed class BankOfTest : IAsyncDisposable
{
    private readonly ITestOutputHelper _output;
    private readonly DbDataSource _source;

    private BankOfTest(BankPlace place, ITestOutputHelper output)
    {
        _output = output;
        Place = place;
        _source = place.OpenSource();
        Control = new(place.ReadModelOf(_source));
        Seed = Environment.GetEnvironmentVariable("THROTTLED_SEED") is { } given ? int.Parse(given) : Random.Shared.Next();
        Random = new(Seed);
        output.WriteLine($"Seed {Seed}.");
    }

    internal BankPlace Place { get; }

    internal ProjectionControl Control { get; }

    internal int Seed { get; }

    internal Random Random { get; }

    /// <summary>The number of events in the journal.</summary>
    internal int Events { get; private set; }

    internal static async Task<BankOfTest> OpenAsync(BankPlace place, ITestOutputHelper output)
    {
        var bank = new BankOfTest(place, output);
        await using (var appender = place.OpenAppender())
            await appender.CreateAsync();
        if (place.IsSqlite)
            await bank.WithWalAsync();
        return bank;
    }

    /// <summary>Writes a history, in transactions of some hundred events. New accounts replace closed ones, so that all lanes keep getting events.</summary>
    internal async Task AppendAsync(int events, int accounts, double poison = 0)
    {
        var before = await RecomputeAsync();
        var open = accounts + before.Values.Count(account => account.IsClosed);
        var history = new AccountHistory(new() { Events = events, Accounts = open, Seed = Random.Next(), Poison = poison }, before.Values);
        await using var appender = Place.OpenAppender();
        foreach (var some in history.All().Chunk(500))
        {
            await appender.AppendAsync(some);
            Events += some.Length;
        }
    }

    internal OtherProcess Start(BankWork work) => OtherProcess.Start("project", work.Write());

    /// <summary>
    /// Requests another number of lanes, which the running or next process executes. An impossible or unchanged number is refused.
    /// </summary>
    internal async Task SetLanesAsync(int lanes)
    {
        using var maxWait = new CancellationTokenSource(TimeSpan.FromSeconds(1));
        try
        {
            Print($"{lanes} lanes requested: {await Control.SetLanesAsync(BankWork.Projection, lanes, cancellationToken: maxWait.Token)}");
        }
        catch (Exception refusal) when (refusal is ProjectionException or OperationCanceledException)
        {
            Print($"{lanes} lanes requested: {refusal.Message}");
        }
    }

    /// <summary>The number of events whose offsets are stored; 0 before the first start.</summary>
    internal async Task<long> HandledAsync(string version = BankWork.Projection) => (await StatusAsync(version))?.Events ?? 0;

    /// <exception cref="InvalidOperationException">A lane has failed.</exception>
    internal async Task<ProjectionStatus?> StatusAsync(string version = BankWork.Projection)
    {
        try
        {
            var status = (await Control.StatusAsync(BankWork.Projection)).FirstOrDefault(each => each.Version == version);
            return status?.Lanes.FirstOrDefault(lane => lane.State == LaneState.Failed) is { } failed
                ? throw new InvalidOperationException($"Lane {failed.Lane} of {version} has failed: {failed.Error}")
                : status;
        }
        catch (ProjectionException)
        {
            return null;
        }
        // The tables were created between the failed read and the check of its reason.
        catch (DbException error) when (error is PostgresException { SqlState: PostgresErrorCodes.UndefinedTable } or SqlException { Number: 208 })
        {
            return null;
        }
    }

    /// <summary>Waits until the given number of events is handled. No process may end.</summary>
    internal Task UntilHandledAsync(long events, IReadOnlyCollection<OtherProcess> processes, string version = BankWork.Projection)
    {
        var handled = 0L;
        return Wait.UntilAsync(
            async () => (handled = await HandledAsync(version)) >= events || processes.Any(HasEnded),
            () => $"{events} events handled by {version}; there are {handled}",
            TimeSpan.FromMinutes(3));
    }

    /// <summary>Waits until a version has caught up, and compares it with the recomputation.</summary>
    internal async Task EndAsync(IReadOnlyCollection<OtherProcess> processes, string version = BankWork.Projection)
    {
        await UntilHandledAsync(Events, processes, version);
        await CheckAsync(version);
    }

    /// <summary>Compares a version that has caught up with the recomputation: each balance, and each number of events.</summary>
    internal async Task CheckAsync(string version = BankWork.Projection)
    {
        Assert.Equal(Events, await HandledAsync(version));
        var should = (await RecomputeAsync()).Values.Select(account => (account.Id, account.Balance, account.Events, account.Events)).Order();
        var has = await ReadAsync(
            $"SELECT account_id, balance, events, last FROM {BankTables.Of(version)}",
            row => (row.GetString(0), row.GetInt64(1), row.GetInt32(2), row.GetInt32(3)));
        Assert.Equal(should, has.Order());
        Print($"{version}: {has.Count} accounts with {Events} events are exact.");
    }

    internal async Task<Dictionary<string, Account>> RecomputeAsync()
    {
        await using var journal = Place.OpenJournal();
        return await Recomputation.OfAsync(journal, default);
    }

    internal async Task<List<JournalEvent>> JournalAsync()
    {
        await using var journal = Place.OpenJournal();
        List<JournalEvent> all = [];
        await foreach (var each in journal.CurrentAllEvents())
            all.Add(each);
        return all;
    }

    internal async Task<List<T>> ReadAsync<T>(string sql, Func<DbDataReader, T> row)
    {
        await using var command = _source.CreateCommand(sql);
        await using var reader = await command.ExecuteReaderAsync();
        List<T> rows = [];
        while (await reader.ReadAsync())
            rows.Add(row(reader));
        return rows;
    }

    internal async Task ExecuteAsync(string sql)
    {
        await using var command = _source.CreateCommand(sql);
        await command.ExecuteNonQueryAsync();
    }

    internal void Print(string line) => _output.WriteLine(line);

    public ValueTask DisposeAsync() => _source.DisposeAsync();

    // What a killed process or a crash may lose: https://www.sqlite.org/pragma.html#pragma_synchronous
    private async Task WithWalAsync()
    {
        await ExecuteAsync("PRAGMA journal_mode = WAL");
        Assert.Equal(["wal"], await ReadAsync("PRAGMA journal_mode", row => row.GetString(0)));
        Assert.Equal([2L], await ReadAsync("PRAGMA synchronous", row => row.GetInt64(0)));
    }

    private static bool HasEnded(OtherProcess process) =>
        process.HasEnded ? throw new InvalidOperationException("A process that runs the projection has ended by itself.") : false;
}
