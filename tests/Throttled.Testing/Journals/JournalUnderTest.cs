using System.Data.Common;
using Throttled.Journal;

namespace Throttled.Testing;

/// <summary>A journal of one test: what a database brings so that the contract can be held against it.</summary>
public abstract class JournalUnderTest(JournalTables tables) : ILedgerJournal, IAsyncDisposable
{
    private readonly List<IAsyncDisposable> _opened = [];
    private JournalAppender? _appender;

    /// <summary>What appenders write to.</summary>
    public JournalTables Tables => tables;

    /// <summary>What readers read; another than <see cref="Tables"/> where a view stands before the table.</summary>
    public virtual JournalTables ReadTables => tables;

    private JournalAppender Appender => _appender ??= OpenAppender();

    /// <summary>A reader of this journal, disposed with it if the test does not.</summary>
    public JournalReader OpenReader(JournalOptions? options = null) =>
        Own(OpenReaderCore((options ?? new()) with { Tables = ReadTables }));

    /// <summary>An appender with a connection of its own.</summary>
    public JournalAppender OpenAppender() => Own(OpenAppenderCore());

    /// <summary>Creates the tables.</summary>
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

    /// <summary>Closes the connection that it appends through.</summary>
    public async Task CloseAppenderAsync()
    {
        if (_appender is not null)
            await _appender.DisposeAsync();
        _appender = null;
    }

    /// <summary>Marks events deleted, as Akka.NET does where it keeps the rows.</summary>
    public Task MarkDeletedAsync(string persistenceId, long from, long to) =>
        ExecuteAsync($"UPDATE {Table} SET {Quote(tables.DeletedColumn)} = {True} WHERE {Within(persistenceId, from, to)}");

    /// <summary>Removes rows, as Akka.NET does where it deletes up to a sequence number; those of the tags may stay.</summary>
    public Task RemoveAsync(string persistenceId, long from, long to) =>
        ExecuteAsync($"DELETE FROM {Table} WHERE {Within(persistenceId, from, to)}");

    /// <summary>Removes the rows of an id's tags.</summary>
    public Task RemoveTagsAsync(string persistenceId) => tables.TagMode == TagMode.TagTable
        ? ExecuteAsync($"DELETE FROM {TagTable} WHERE {Quote(tables.TagPersistenceIdColumn)} = '{persistenceId.Replace("'", "''")}'")
        : Task.CompletedTask;

    /// <summary>Removes all rows.</summary>
    /// <param name="restartsNumbers">Whether the orderings begin at 1 again.</param>
    public abstract Task TruncateAsync(bool restartsNumbers);

    /// <summary>Drops the tables and creates them anew.</summary>
    public async Task RecreateAsync()
    {
        await AllowReadersWhatComesAsync();
        await ExecuteAsync($"DROP TABLE {Table}");
        if (tables.TagMode == TagMode.TagTable)
            await ExecuteAsync($"DROP TABLE {TagTable}");
        await CreateAsync();
    }

    /// <summary>Takes a copy of the database.</summary>
    /// <returns>Puts the copy back in its place while others have the database open.</returns>
    public abstract Task<Func<Task>> CopyAsync();

    /// <summary>What stands in the journal, in its order, whatever readers say.</summary>
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

    /// <summary>Runs a statement on a connection of its own.</summary>
    public async Task ExecuteAsync(string sql)
    {
        await using var connection = await ConnectAsync();
        await connection.RunAsync(sql);
    }

    /// <summary>A transaction that is open until it is told how to end.</summary>
    public async Task<RawTransaction> BeginAsync() => new(this, await ConnectAsync());

    /// <summary>An open connection of the driver's.</summary>
    public abstract Task<DbConnection> ConnectAsync();

    /// <summary>The journal table as SQL names it.</summary>
    public string Table => NameOf(tables.JournalTable);

    /// <summary>The tag table as SQL names it.</summary>
    public string TagTable => NameOf(tables.TagTable);

    /// <summary>Whether a tag can be kept and asked for: where it is no longer than its column.</summary>
    public virtual bool Holds(string tag) => tag.EnumerateRunes().Count() <= LongestTag;

    /// <summary>Those of some ids that can have an event of the same number each: the keys of some databases take two texts for one.</summary>
    public virtual IEnumerable<string> Distinct(IEnumerable<string> ids) => ids;

    /// <summary>An identifier as SQL has it.</summary>
    public abstract string Quote(string identifier);

    /// <summary>The type of the ordering as a primary key that numbers itself.</summary>
    public abstract string OrderingType { get; }

    /// <summary>The type of the payload.</summary>
    public abstract string BytesType { get; }

    /// <summary>The type of the mark of deleted events.</summary>
    public virtual string BooleanType => "BOOLEAN";

    /// <summary>What is true, of that type.</summary>
    public virtual string True => "TRUE";

    /// <summary>What is false.</summary>
    public virtual string False => "FALSE";

    /// <summary>A payload of no bytes.</summary>
    public virtual string NoBytes => "''";

    /// <summary>Gives a table of this name another.</summary>
    public virtual string Rename(string from, string to) => $"ALTER TABLE {NameOf(from)} RENAME TO {Quote(to)}";

    /// <summary>Inserts an event into the journal and selects its ordering.</summary>
    public virtual string InsertEvent(string columns, string values) =>
        $"INSERT INTO {Table} ({columns}) VALUES ({values}) RETURNING {Quote(tables.OrderingColumn)}";

    /// <summary>The same with an ordering that is given.</summary>
    public virtual string InsertNumberedEvent(string columns, string values) => InsertEvent(columns, values);

    /// <summary>Makes the rows of one persistence id unreadable, those that are there and those to come, and of no other.</summary>
    public abstract Task PoisonAsync(string persistenceId);

    /// <summary>Fails where the database still runs a statement of a reader.</summary>
    public abstract Task NoStatementRunsAsync();

    /// <inheritdoc/>
    public virtual async ValueTask DisposeAsync()
    {
        foreach (var opened in Enumerable.Reverse(_opened))
            await opened.DisposeAsync();
    }

    /// <summary>Gives the readers' user, where there is one, the rights on the tables that are there.</summary>
    protected virtual Task AllowReadersAsync() => Task.CompletedTask;

    /// <summary>Gives it the rights on tables with their creation.</summary>
    protected virtual Task AllowReadersWhatComesAsync() => Task.CompletedTask;

    /// <summary>The most characters that a tag can have.</summary>
    protected abstract int LongestTag { get; }

    /// <summary>A table of the journal's schema as SQL names it.</summary>
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
