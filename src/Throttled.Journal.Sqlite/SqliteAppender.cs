using Microsoft.Data.Sqlite;
using SQLitePCL;
using Throttled.Journal.Relational;

namespace Throttled.Journal.Sqlite;

/// <summary>Appends through one connection. The work runs on the thread pool; each call is one transaction.</summary>
internal sealed class SqliteAppender : JournalAppender
{
    internal const string WriteAhead = "PRAGMA journal_mode = WAL";
    internal const string Synchronous = "PRAGMA synchronous = NORMAL";

    // Ids are appended to in any order, so an append writes to all parts of the index. With the default cache of 2 MB, a large
    // append would write and read most pages again and run several checkpoints.
    internal const string CacheSize = "PRAGMA cache_size = -65536";
    internal const string Checkpoints = "PRAGMA wal_autocheckpoint = 8000";

    private readonly SqliteConnection _connection;
    private readonly SqliteSchema _schema;
    private readonly JournalTables _tables;
    private readonly TimeProvider _clock;
    private readonly EventValidation _validation;
    private readonly SingleCall _call = new("An appender");
    private readonly TextMemo _memo = new();
    private readonly Dictionary<string, PreparedStatement> _statements = [];
    private readonly int _busyMilliseconds;
    private readonly string _insertEvent;
    private readonly string _insertTag;

    // One id per writer, as Akka.Persistence.Sql gives one to each start of its write journal.
    private readonly string _writer = Guid.NewGuid().ToString("N");

    internal SqliteAppender(SqliteSource source, JournalTables tables, TimeProvider clock)
    {
        Batteries.Load();
        _connection = new(source.ForWriting);
        _busyMilliseconds = (int)source.BusyTimeout.TotalMilliseconds;
        (_schema, _tables, _validation, _clock) = (new(tables), tables, new(tables), clock);
        (_insertEvent, _insertTag) = (_schema.InsertEvent(), _schema.InsertTag());
    }

    public override Task CreateAsync(CancellationToken cancellationToken = default) => _call.OneAtATimeAsync(() => Task.Run(Create, cancellationToken));

    public override Task AppendAsync(IReadOnlyCollection<JournalEvent> events, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(events);
        _validation.Check(events);
        return _call.OneAtATimeAsync(() => Task.Run(() => Append(events, cancellationToken), cancellationToken));
    }

    internal override void Check(IEnumerable<JournalEvent> events) => _validation.Check(events);

    internal override Task MarkAsync(ShardIdentity identity, CancellationToken cancellation) => _call.OneAtATimeAsync(() => Task.Run(
        () =>
        {
            Open();
            InTransaction(() => new SqliteShardMark(_tables, Statement).Write(identity));
        },
        cancellation));

    public override ValueTask DisposeAsync()
    {
        foreach (var statement in _statements.Values)
            statement.Dispose();
        _statements.Clear();
        return _connection.DisposeAsync();
    }

    private void Create()
    {
        Open();
        RunOnce(WriteAhead);
        // One transaction, so that a reader never finds the journal without its tag table.
        InTransaction(() =>
        {
            foreach (var sql in _schema.Create())
                RunOnce(sql);
        });
    }

    private void RunOnce(string sql)
    {
        using var statement = new PreparedStatement(_connection.Handle!, sql, _memo);
        statement.Run();
    }

    private void Append(IReadOnlyCollection<JournalEvent> events, CancellationToken cancellation)
    {
        Open();
        InTransaction(() =>
        {
            var insert = Statement(_insertEvent);
            foreach (var each in events)
            {
                cancellation.ThrowIfCancellationRequested();
                Insert(each, insert);
            }
        });
    }

    private void InTransaction(Action write)
    {
        Statement("BEGIN IMMEDIATE").Run();
        try
        {
            write();
            Statement("COMMIT").Run();
        }
        catch
        {
            RollBack();
            throw;
        }
    }

    private void Insert(JournalEvent each, PreparedStatement insert)
    {
        Bind(insert, each);
        insert.Run();
        if (_tables.TagMode != TagMode.TagTable || each.Tags.Count == 0)
            return;
        var ordering = raw.sqlite3_last_insert_rowid(_connection.Handle!);
        var insertTag = Statement(_insertTag);
        foreach (var tag in each.Tags)
            insertTag.Bind(1, ordering).Bind(2, tag).Bind(3, each.SequenceNumber).Bind(4, each.PersistenceId).Run();
    }

    private void Bind(PreparedStatement insert, JournalEvent each)
    {
        insert.Bind(1, 0)
            .Bind(2, each.PersistenceId)
            .Bind(3, each.SequenceNumber)
            .Bind(4, each.Timestamp == 0 ? _clock.GetUtcNow().UtcTicks : each.Timestamp)
            .Bind(5, each.Payload.Span);
        if (each.SerializerId is { } serializer)
            insert.Bind(6, serializer);
        else
            insert.BindNull(6);
        insert.Bind(7, each.Manifest);
        var next = 8;
        if (_tables.TagMode == TagMode.Csv)
            insert.Bind(next++, CsvTags.Format(each.Tags, _tables.TagSeparator));
        if (_tables.WriterUuidColumn is not null)
            insert.Bind(next, _writer);
    }

    private void RollBack()
    {
        foreach (var statement in _statements.Values)
            statement.Reset();
        // Some errors end the transaction: https://www.sqlite.org/lang_transaction.html
        if (raw.sqlite3_get_autocommit(_connection.Handle!) == 0)
            Statement("ROLLBACK").Run();
    }

    private void Open()
    {
        if (_connection.State == System.Data.ConnectionState.Open)
            return;
        _connection.Open();
        _ = raw.sqlite3_busy_timeout(_connection.Handle!, _busyMilliseconds);
        Statement(Synchronous).Run();
        Statement(CacheSize).Run();
        Statement(Checkpoints).Run();
    }

    private PreparedStatement Statement(string sql)
    {
        if (!_statements.TryGetValue(sql, out var statement))
            _statements[sql] = statement = new(_connection.Handle!, sql, _memo);
        return statement;
    }
}
