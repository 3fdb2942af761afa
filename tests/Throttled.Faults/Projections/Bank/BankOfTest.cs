using System.Data.Common;
using BankAccounts.History;
using Npgsql;
using Throttled.Faults.Processes;
using Throttled.Journal;
using Throttled.Projections;
using Throttled.Testing;
using Xunit.Abstractions;

namespace Throttled.Faults.Projections.Bank;

/// <summary>A bank of a test: its journal and read model, what is written to them, and how they are compared in the end.</summary>
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

    /// <summary>Events in the journal.</summary>
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

    /// <summary>Writes a history, in transactions of some hundred events.</summary>
    internal async Task AppendAsync(int events, int accounts, double poison = 0)
    {
        var before = await RecomputeAsync();
        var history = new AccountHistory(new() { Events = events, Accounts = accounts, Seed = Random.Next(), Poison = poison }, before.Values);
        await using var appender = Place.OpenAppender();
        foreach (var some in history.All().Chunk(500))
        {
            await appender.AppendAsync(some);
            Events += some.Length;
        }
    }

    internal OtherProcess Start(BankWork work) => OtherProcess.Start("project", work.Write());

    /// <summary>
    /// Tells the projection to have another number of lanes, which a process does that runs, or that is started next. What it cannot have, or has, is refused.
    /// </summary>
    internal async Task TellLanesAsync(int lanes)
    {
        using var patience = new CancellationTokenSource(TimeSpan.FromSeconds(1));
        try
        {
            Tell($"lanes are to be {lanes}: {await Control.SetLanesAsync(BankWork.Projection, lanes, cancellationToken: patience.Token)}");
        }
        catch (Exception told) when (told is ProjectionException or OperationCanceledException)
        {
            Tell($"lanes are to be {lanes}: {told.Message}");
        }
    }

    /// <summary>Events whose offsets are stored; 0 before the first start.</summary>
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
        // The tables were made between the look at them and the look at why that failed.
        catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.UndefinedTable)
        {
            return null;
        }
    }

    /// <summary>Waits until so many events are handled, by processes none of which may end.</summary>
    internal Task UntilHandledAsync(long events, IReadOnlyCollection<OtherProcess> processes, string version = BankWork.Projection)
    {
        var handled = 0L;
        return Wait.UntilAsync(
            async () => (handled = await HandledAsync(version)) >= events || processes.Any(HasEnded),
            () => $"{events} events handled by {version}; there are {handled}",
            TimeSpan.FromMinutes(3));
    }

    /// <summary>Waits until a version is level, and compares it with the recomputation.</summary>
    internal async Task EndAsync(IReadOnlyCollection<OtherProcess> processes, string version = BankWork.Projection)
    {
        await UntilHandledAsync(Events, processes, version);
        await CheckAsync(version);
    }

    /// <summary>Compares a version that is level with the recomputation: each balance, and each number of events.</summary>
    internal async Task CheckAsync(string version = BankWork.Projection)
    {
        Assert.Equal(Events, await HandledAsync(version));
        var should = (await RecomputeAsync()).Values.Select(account => (account.Id, account.Balance, account.Events, account.Events)).Order();
        var has = await ReadAsync(
            $"SELECT account_id, balance, events, last FROM {BankTables.Of(version)}",
            row => (row.GetString(0), row.GetInt64(1), row.GetInt32(2), row.GetInt32(3)));
        Assert.Equal(should, has.Order());
        Tell($"{version}: {has.Count} accounts with {Events} events are exact.");
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

    internal void Tell(string line) => _output.WriteLine(line);

    public ValueTask DisposeAsync() => _source.DisposeAsync();

    // How far a killed process or a crash may get: https://www.sqlite.org/pragma.html#pragma_synchronous
    private async Task WithWalAsync()
    {
        await ExecuteAsync("PRAGMA journal_mode = WAL");
        Assert.Equal(["wal"], await ReadAsync("PRAGMA journal_mode", row => row.GetString(0)));
        Assert.Equal([2L], await ReadAsync("PRAGMA synchronous", row => row.GetInt64(0)));
    }

    private static bool HasEnded(OtherProcess process) =>
        process.HasEnded ? throw new InvalidOperationException("A process that runs the projection has ended by itself.") : false;
}
