using Npgsql;
using Throttled.Journal.Rows;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>A journal in a database of its own, on the server that all tests share or on a given one.</summary>
internal sealed class TestJournal : IAsyncDisposable
{
    private static readonly Lazy<PostgreSqlServer> LazyServer = new(() => PostgreSqlServer.Start());

    private readonly PostgreSqlServer _server;

    private TestJournal(PostgreSqlServer server, JournalTables tables)
    {
        _server = server;
        var connectionString = server.CreateDatabase();
        (ConnectionString, Tables) = (connectionString, tables);
        Appender = PostgreSqlJournal.OpenAppender(connectionString, tables);
        Database = Open(new());
        Sql = server.OpenSource(connectionString);
    }

    internal static PostgreSqlServer Server => LazyServer.Value;

    internal string ConnectionString { get; }

    internal JournalTables Tables { get; }

    internal JournalAppender Appender { get; }

    internal PostgreSqlDatabase Database { get; }

    /// <summary>For statements of others.</summary>
    internal NpgsqlDataSource Sql { get; }

    internal static async Task<TestJournal> CreateAsync(JournalTables? tables = null, PostgreSqlServer? server = null)
    {
        var journal = Absent(tables, server);
        await journal.Appender.CreateAsync();
        return journal;
    }

    /// <summary>A journal without tables.</summary>
    internal static TestJournal Absent(JournalTables? tables = null, PostgreSqlServer? server = null) =>
        new(server ?? Server, tables ?? JournalTables.Default);

    internal PostgreSqlDatabase Open(JournalOptions options, string settings = "") =>
        new(PostgreSqlSource.Parse(ConnectionString + settings), options with { Tables = Tables });

    internal static JournalEvent Event(string id, long sequenceNumber, params string[] tags) => new()
    {
        PersistenceId = id,
        SequenceNumber = sequenceNumber,
        Timestamp = 638_000_000_000_000_000 + sequenceNumber,
        Payload = new byte[] { 1, 2, 3, (byte)sequenceNumber },
        SerializerId = 7,
        Manifest = "some-manifest",
        Tags = tags,
    };

    internal Task AppendAsync(params JournalEvent[] events) => Appender.AppendAsync(events);

    internal Task AppendAsync(string id, int count) =>
        Appender.AppendAsync([.. Enumerable.Range(1, count).Select(n => Event(id, n))]);

    internal static ByIdRows Statement(params ByIdRequest[] requests) => new(requests, 10_000, new ByteBudget(long.MaxValue));

    internal static ByIdRequest Ask(string id, int limit = 500) => new(id, new(1, long.MaxValue), limit);

    internal async Task<IReadOnlyList<ByIdResult?>> ReadAsync(params ByIdRequest[] requests)
    {
        var rows = Statement(requests);
        await Database.ReadPagesAsync(rows, default);
        rows.Complete();
        return rows.Pages;
    }

    /// <summary>Reads several requests in journal order.</summary>
    internal async Task<OrderedRows> ReadOrderedAsync(OrderedLimits limits, params OrderedRequest[] requests)
    {
        var rows = new OrderedRows(
            requests, limits with { TagsComeLater = Tables.TagMode == TagMode.TagTable }, new ByteBudget(long.MaxValue));
        await Database.ReadOrderedAsync(rows, default);
        rows.Complete();
        return rows;
    }

    /// <summary>The orderings of the events with a tag.</summary>
    internal async Task<long[]> TaggedAsync(string tag)
    {
        var rows = await ReadOrderedAsync(new(1000, long.MaxValue, false), new OrderedRequest(new() { Tag = tag }, 0, long.MaxValue, 1000));
        return [.. Events(rows.Results[0]).Select(row => row.Ordering)];
    }

    internal static IEnumerable<JournalEvent> Events(OrderedResult result) =>
        Enumerable.Range(0, result.Page?.Count ?? 0).Select(i => result.Page![i]!);

    /// <summary>The plan of a statement in a session of the reader.</summary>
    internal async Task<string> PlanAsync(string text, params NpgsqlParameter[] parameters)
    {
        await using var sessions = new PostgreSqlSessions(PostgreSqlSource.Parse(ConnectionString), new() { Tables = Tables });
        return await sessions.RunAsync(
            async session =>
            {
                List<string> lines = [];
                await session.ReadAsync($"EXPLAIN {text}", row => Add(lines, row.GetString(0)), default, parameters);
                return string.Join('\n', lines);
            },
            default);
    }

    internal async Task ExecuteAsync(string sql)
    {
        await using var command = Sql.CreateCommand(sql);
        await command.ExecuteNonQueryAsync();
    }

    internal async Task<T> ScalarAsync<T>(string sql)
    {
        await using var command = Sql.CreateCommand(sql);
        return (T)(await command.ExecuteScalarAsync())!;
    }

    private static bool Add(List<string> lines, string line)
    {
        lines.Add(line);
        return true;
    }

    /// <summary>Takes a lock that makes every reader of the journal wait. Disposing releases it.</summary>
    /// <param name="pooled">False if the server is killed meanwhile: the pool cannot roll back what its session has left.</param>
    internal async Task<NpgsqlConnection> LockAsync(bool pooled = true)
    {
        var connection = pooled ? Sql.CreateConnection() : new NpgsqlConnection($"{ConnectionString};Pooling=false");
        await connection.OpenAsync();
        await using var command = new NpgsqlCommand("BEGIN; LOCK TABLE journal", connection);
        await command.ExecuteNonQueryAsync();
        return connection;
    }

    /// <summary>The number of statements that run for the reader.</summary>
    internal Task<long> RunningAsync() => ScalarAsync<long>(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'throttled' AND state = 'active'");

    /// <summary>The process id of the reader's only session.</summary>
    internal Task<int> ReaderAsync() => ScalarAsync<int>(
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'throttled' AND query LIKE '%LATERAL%'");

    /// <summary>Waits until a number of statements run for the reader.</summary>
    internal async Task UntilRunningAsync(long count)
    {
        using var timeout = new CancellationTokenSource(TimeSpan.FromSeconds(30));
        while (await RunningAsync() != count)
            timeout.Token.ThrowIfCancellationRequested();
    }

    /// <summary>Waits until a statement waits on the server.</summary>
    /// <param name="query">The text of the statement.</param>
    /// <param name="waitsFor">The type of its wait event.</param>
    internal Task UntilActiveAsync(string query, string waitsFor) => Wait.UntilAsync(
        async () => await ScalarAsync<long>(
            $"""
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query = '{query.Replace("'", "''")}'
                AND state = 'active' AND wait_event_type = '{waitsFor}'
            """) > 0,
        () => $"a statement that waits: {query}");

    public async ValueTask DisposeAsync()
    {
        await Appender.DisposeAsync();
        await Database.DisposeAsync();
        await Sql.DisposeAsync();
        _server.Return(ConnectionString);
    }
}
