using System.Data.Common;

namespace Throttled.Testing;

/// <summary>A journal of one test: what the contract's tests need of a database.</summary>
public abstract class JournalUnderTest(JournalTables tables) : ILedgerJournal, IAsyncDisposable
{
    private readonly List<IAsyncDisposable> _opened = [];
    private JournalAppender? _appender;

    /// <summary>The tables that appenders write to.</summary>
    public JournalTables Tables => tables;

    /// <summary>The tables that readers read. They differ from <see cref="Tables"/> if readers read a view.</summary>
    public virtual JournalTables ReadTables => tables;

    private JournalAppender Appender => _appender ??= OpenAppender();

    /// <summary>Opens a reader of this journal. It is disposed with the journal, if the test does not dispose it.</summary>
    public JournalReader OpenReader(JournalOptions? options = null) =>
        Own(OpenReaderCore((options ?? new()) with { Tables = ReadTables }));

    /// <summary>Opens an appender with its own connection.</summary>
    public JournalAppender OpenAppender() => Own(OpenAppenderCore());

    public async Task CreateAsync()
    {
        await Appender.CreateAsync();
        await AllowReadersAsync();
    }

    /// <summary>Appends events in one transaction.</summary>
    public Task AppendAsync(params IReadOnlyCollection<JournalEvent> events) => Appender.AppendAsync(events);

    /// <summary>Appends events of one persistence id in one transaction.</summary>
    public Task AppendAsync(string persistenceId, long from, int count) =>
        AppendAsync(TestEvents.Of(persistenceId, from, count));

    /// <summary>Closes the connection of the journal's own appender.</summary>
    public async Task CloseAppenderAsync()
    {
        if (_appender is not null)
            await _appender.DisposeAsync();
        _appender = null;
    }

    /// <summary>Marks events as deleted, as Akka.NET does if it keeps the rows.</summary>
    public Task MarkDeletedAsync(string persistenceId, long from, long to) =>
        ExecuteAsync($"UPDATE {Table} SET {Quote(tables.DeletedColumn)} = {True} WHERE {Within(persistenceId, from, to)}");

    /// <summary>Removes rows, as Akka.NET does if it deletes up to a sequence number. The rows of their tags may stay.</summary>
    public Task RemoveAsync(string persistenceId, long from, long to) =>
        ExecuteAsync($"DELETE FROM {Table} WHERE {Within(persistenceId, from, to)}");

    public Task RemoveTagsAsync(string persistenceId) => tables.TagMode == TagMode.TagTable
        ? ExecuteAsync($"DELETE FROM {TagTable} WHERE {Quote(tables.TagPersistenceIdColumn)} = '{persistenceId.Replace("'", "''")}'")
        : Task.CompletedTask;

    /// <param name="restartsNumbers">Whether the orderings begin at 1 again.</param>
    public abstract Task TruncateAsync(bool restartsNumbers);

    /// <summary>Drops the tables and creates them again.</summary>
    public async Task RecreateAsync()
    {
        await AllowReadersWhatComesAsync();
        await ExecuteAsync($"DROP TABLE {Table}");
        if (tables.TagMode == TagMode.TagTable)
            await ExecuteAsync($"DROP TABLE {TagTable}");
        await CreateAsync();
    }

    /// <returns>Restores the copy while other connections are open.</returns>
    public abstract Task<Func<Task>> CopyAsync();

    /// <summary>The rows of the journal in their order, read without a reader.</summary>
    public async Task<List<(long Ordering, byte[] Payload)>> RowsAsync()
    {
        await using var connection = await ConnectAsync();
        await using var command = connection.CreateCommand();
        var ordering = Quote(tables.OrderingColumn);
        command.CommandText = $"SELECT {ordering}, {Quote(tables.PayloadColumn)} FROM {Table} ORDER BY {ordering}";
        await using var reader = await command.ExecuteReaderAsync();
        List<(long, byte[])> rows = [];
        while (await reader.ReadAsync())
            rows.Add((reader.GetInt64(0), (byte[])reader.GetValue(1)));
        return rows;
    }

    /// <summary>Runs a statement on a separate connection.</summary>
    public async Task ExecuteAsync(string sql)
    {
        await using var connection = await ConnectAsync();
        await connection.RunAsync(sql);
    }

    /// <summary>Begins a transaction that the test ends.</summary>
    public async Task<RawTransaction> BeginAsync() => new(this, await ConnectAsync());

    /// <summary>Opens a connection of the driver.</summary>
    public abstract Task<DbConnection> ConnectAsync();

    /// <summary>The journal table's name in SQL.</summary>
    public string Table => NameOf(tables.JournalTable);

    /// <summary>The tag table's name in SQL.</summary>
    public string TagTable => NameOf(tables.TagTable);

    /// <summary>Whether the tag's column is wide enough for a tag.</summary>
    public virtual bool Holds(string tag) => tag.EnumerateRunes().Count() <= LongestTag;

    /// <summary>
    /// The ids that can have an event with the same sequence number. For the keys of some databases, two texts are equal.
    /// </summary>
    public virtual IEnumerable<string> Distinct(IEnumerable<string> ids) => ids;

    /// <summary>An identifier in SQL.</summary>
    public abstract string Quote(string identifier);

    /// <summary>The type of the ordering, as a primary key that generates its values.</summary>
    public abstract string OrderingType { get; }

    public abstract string BytesType { get; }

    /// <summary>The type of the column that marks deleted events.</summary>
    public virtual string BooleanType => "BOOLEAN";

    /// <summary>True, in SQL.</summary>
    public virtual string True => "TRUE";

    /// <summary>False, in SQL.</summary>
    public virtual string False => "FALSE";

    /// <summary>An empty payload, in SQL.</summary>
    public virtual string NoBytes => "''";

    /// <summary>Renames a table.</summary>
    public virtual string Rename(string from, string to) => $"ALTER TABLE {NameOf(from)} RENAME TO {Quote(to)}";

    /// <summary>Inserts an event into the journal and selects its ordering.</summary>
    public virtual string InsertEvent(string columns, string values) =>
        $"INSERT INTO {Table} ({columns}) VALUES ({values}) RETURNING {Quote(tables.OrderingColumn)}";

    /// <summary>Inserts an event with a given ordering and selects its ordering.</summary>
    public virtual string InsertNumberedEvent(string columns, string values) => InsertEvent(columns, values);

    /// <summary>Makes all rows of one persistence id unreadable, also those that are written later.</summary>
    public abstract Task PoisonAsync(string persistenceId);

    /// <summary>Fails if the database still runs a statement of a reader.</summary>
    public abstract Task NoStatementRunsAsync();

    /// <inheritdoc/>
    public virtual async ValueTask DisposeAsync()
    {
        foreach (var opened in Enumerable.Reverse(_opened))
            await opened.DisposeAsync();
    }

    /// <summary>Grants the readers' user, if there is one, the rights on the existing tables.</summary>
    protected virtual Task AllowReadersAsync() => Task.CompletedTask;

    /// <summary>Grants the readers' user the rights on tables that are created later.</summary>
    protected virtual Task AllowReadersWhatComesAsync() => Task.CompletedTask;

    /// <summary>The largest number of characters in a tag.</summary>
    protected abstract int LongestTag { get; }

    /// <summary>The name, in SQL, of a table in the journal's schema.</summary>
    protected abstract string NameOf(string table);

    protected abstract JournalReader OpenReaderCore(JournalOptions options);

    protected abstract JournalAppender OpenAppenderCore();

    private string Within(string persistenceId, long from, long to) =>
        $"{Quote(tables.PersistenceIdColumn)} = '{persistenceId.Replace("'", "''")}' "
        + $"AND {Quote(tables.SequenceNumberColumn)} BETWEEN {from} AND {to}";

    private T Own<T>(T opened)
        where T : IAsyncDisposable
    {
        _opened.Add(opened);
        return opened;
    }
}
