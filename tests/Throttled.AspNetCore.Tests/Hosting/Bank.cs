using System.Text;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Throttled.Journal.Sqlite;

namespace Throttled.AspNetCore.Tests.Hosting;

/// <summary>A journal and a read model in SQLite files, two projections, and an event that one of them cannot handle.</summary>
internal sealed class Bank : IAsyncDisposable
{
    internal const string Poison = "account-13";

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-page-");
    private readonly Dictionary<string, long> _numbers = new(StringComparer.Ordinal);
    private readonly CancellationTokenSource _ended = new();
    private readonly List<Task> _queries = [];
    private readonly JournalAppender _appender;
    private int _isHealed;

    private Bank()
    {
        _appender = SqliteJournal.OpenAppender(Journal("bank.db"));
        Reader = SqliteJournal.OpenReader(Journal("bank.db"), new() { Name = Name, MaxConcurrentQueries = 13 });
    }

    /// <summary>The name of the journal, which no other test has: the page shows all journals of the process.</summary>
    internal string Name { get; } = $"bank-{Guid.NewGuid().ToString()[..6]}";

    internal JournalReader Reader { get; }

    /// <summary>A journal whose database has no table.</summary>
    internal JournalReader? Archive { get; private set; }

    internal static async Task<Bank> OpenAsync()
    {
        var bank = new Bank();
        await bank._appender.CreateAsync();
        return bank;
    }

    internal void Register(IServiceCollection services) => services
        .AddSingleton(Reader)
        .AddSingleton(_ => ReadModelDatabase.Sqlite(SqliteFactory.Instance.CreateDataSource(Journal("model.db"))))
        .AddProjection("balances", new Balances(this), projection => projection.WithOptions(
            options => options with { Lanes = 4, OnFailure = FailurePolicy.DeadLetter, MaxAttempts = 1 }))
        .AddProjection("statements", new Statements(), projection => projection.WithOptions(options => options with { Lanes = 2 }));

    /// <summary>From now on, the handler can handle every event.</summary>
    internal void Heal() => Volatile.Write(ref _isHealed, 1);

    /// <summary>Appends events of some accounts, one for each.</summary>
    internal Task AppendAsync(params string[] ids) => _appender.AppendAsync([.. ids.Select(id => new JournalEvent
    {
        PersistenceId = id,
        SequenceNumber = _numbers[id] = _numbers.GetValueOrDefault(id) + 1,
        Manifest = "deposited",
        Timestamp = TimeProvider.System.GetUtcNow().UtcTicks,
        Payload = Encoding.UTF8.GetBytes("""{"amount":1}"""),
    })]);

    /// <summary>Opens live queries, which follow the journal.</summary>
    internal void Follow(int count) => _queries.AddRange(Enumerable.Range(0, count).Select(each => ReadAsync(Reader.EventsByPersistenceId($"account-{each}"))));

    internal void FollowAll() => _queries.Add(ReadAsync(Reader.AllEvents()));

    /// <summary>Opens a journal that cannot be read.</summary>
    internal void OpenArchive()
    {
        Archive = SqliteJournal.OpenReader(Journal("archive.db"), new() { Name = $"{Name}-archive" });
        _queries.Add(ReadAsync(Archive.AllEvents()));
    }

    public async ValueTask DisposeAsync()
    {
        await _ended.CancelAsync();
        await Task.WhenAll(_queries);
        await _appender.DisposeAsync();
        await Reader.DisposeAsync();
        await (Archive?.DisposeAsync() ?? default);
        _ended.Dispose();
        _directory.Delete(recursive: true);
    }

    private string Journal(string file) => $"Data Source={Path.Combine(_directory.FullName, file)};Pooling=False";

    private async Task ReadAsync(IAsyncEnumerable<JournalEvent> events)
    {
        try
        {
            await foreach (var _ in events.WithCancellation(_ended.Token))
            {
            }
        }
        catch (OperationCanceledException)
        {
        }
    }

    /// <summary>Counts the events of each account.</summary>
    private class Statements : BatchHandler
    {
        private static readonly MergeTable<Account> Table = new MergeTable<Account>().Key("id", account => account.Id).Add("count", account => account.Count);

        public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => scope.ExecuteAsync(
            $"CREATE TABLE IF NOT EXISTS {ReadModelDatabase.Quote(scope.Version)} (id VARCHAR(100) PRIMARY KEY, count BIGINT NOT NULL)", cancellationToken);

        public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken) => Table.WriteAsync(
            batch, batch.Version, batch.Fold<string, Account>(id => new(id), (all, each) => all[each.PersistenceId].Count++), cancellationToken);
    }

    private sealed class Balances(Bank bank) : Statements
    {
        public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            foreach (var each in batch)
            {
                if (each.PersistenceId == Poison && Volatile.Read(ref bank._isHealed) == 0)
                    throw new EventFailedException(each.Ordering, new InvalidOperationException("The account has no currency."));
            }
            return base.HandleAsync(batch, cancellationToken);
        }
    }

    private sealed class Account(string id)
    {
        public string Id => id;

        public long Count { get; set; }
    }
}
