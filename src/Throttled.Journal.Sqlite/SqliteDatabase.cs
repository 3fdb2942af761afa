using Throttled.Journal.Sql;

namespace Throttled.Journal.Sqlite;

/// <summary>
/// A journal in SQLite. Pages are read on as many threads as there are permits, but no more than cores; everything else on
/// one thread of its own, so that no page keeps the tail waiting. There is one writer at a time and it commits in the order
/// in which it numbers, so nothing can still commit below the highest ordering.
/// </summary>
internal sealed class SqliteDatabase : IJournalDatabase
{
    private static readonly IReadOnlySet<string> NoHolders = new HashSet<string>();

    private readonly SqliteSource _source;
    private readonly JournalTables _tables;
    private readonly SqliteStatements _statements;
    private readonly SqliteRows _rows;
    private readonly CancellationTokenSource _disposal = new();
    private readonly int _ceiling;
    private readonly SqliteThreads _pages;
    private readonly SqliteThreads _tail;
    private volatile bool _reusesOrderings;

    internal SqliteDatabase(SqliteSource source, JournalOptions options)
    {
        (_source, _tables) = (source, options.Tables);
        _statements = new(_tables);
        _rows = new(_tables, _statements);
        _ceiling = Math.Min(options.MaxConcurrentQueries, Environment.ProcessorCount);
        var limits = new CallLimits(options.StatementTimeout, options.TimeProvider, _disposal.Token);
        _pages = new("SQLite pages", _ceiling, source, limits);
        _tail = new("SQLite tail", 1, source, limits);
    }

    public string System => "sqlite";

    public bool ReusesOrderings => _reusesOrderings;

    public Task<ServerFacts> ProbeAsync(CancellationToken cancellation) => _tail.RunAsync(Probe, cancellation);

    public Task ReadPagesAsync(PageStatement statement, CancellationToken cancellation) =>
        _pages.RunAsync(session => ReadPages(session, statement), cancellation);

    public Task<TailAnchor> ReadAnchorAsync(CancellationToken cancellation) =>
        _tail.RunAsync(session => new TailAnchor(LastKey(session), NoHolders), cancellation);

    public Task<KeysFound> ReadKeysAsync(KeysQuery query, CancellationToken cancellation) =>
        _tail.RunAsync(
            session => new KeysFound(Keys(session, query), [], query.WithHolders ? NoHolders : null), cancellation);

    public Task ReadRowsAsync(RowsStatement statement, CancellationToken cancellation) =>
        _tail.RunAsync(session => ReadRows(session, statement), cancellation);

    public Task ReadTagHorizonAsync(long settled, CancellationToken cancellation) =>
        _tables.TagMode == TagMode.TagTable
            ? _tail.RunAsync(session => ReadTagHorizon(session, settled), cancellation)
            : Task.CompletedTask;

    /// <summary>None: the database is in this process, and a call ends when its statement has.</summary>
    public Task<IReadOnlyList<LostStatement>> StillRunningAsync(
        IReadOnlyList<LostStatement> lost, CancellationToken cancellation) => Task.FromResult<IReadOnlyList<LostStatement>>([]);

    public FaultKind Classify(Exception error) => SqliteFaults.Classify(error);

    /// <summary>Ends at once: SQLite tells other processes nothing.</summary>
    public Task ListenAsync(Action wake, CancellationToken cancellation) => Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        await _disposal.CancelAsync().ConfigureAwait(false);
        await _pages.DisposeAsync().ConfigureAwait(false);
        await _tail.DisposeAsync().ConfigureAwait(false);
    }

    private ServerFacts Probe(SqliteSession session)
    {
        session.Statement(_statements.JournalColumns).Run();
        _rows.CheckTagTable(session);
        var created = Single(session.Statement(SqliteStatements.CreateText).Bind(1, _tables.JournalTable));
        // A view has no such text. Nothing is known of its numbers, so the worst is assumed.
        _reusesOrderings = created is null || !SqliteTableSql.HasAutoIncrement(created);
        return new(_ceiling, Cores(Environment.ProcessorCount), ModeWarning(Single(session.Statement(SqliteStatements.JournalMode))));
    }

    private static string Cores(int count) =>
        count == 1 ? "this machine has 1 core" : FormattableString.Invariant($"this machine has {count} cores");

    private string? ModeWarning(string? mode) => mode == "wal"
        ? null
        : $"The journal '{_source.Name}' is in journal mode '{mode}', in which readers block its writer; "
            + "run \"PRAGMA journal_mode = WAL\" on it once.";

    private static string? Single(SqliteStatement statement)
    {
        var text = statement.Step() ? statement.Text(0) : null;
        statement.Reset();
        return text;
    }

    private bool ReadPages(SqliteSession session, PageStatement pages)
    {
        // One lock for all members instead of one each, which is a sixth of the time; it is given back with the call.
        session.Statement("BEGIN").Run();
        var statement = session.Statement(_statements.Page);
        for (var member = 0; member < pages.Asks.Count && !pages.IsStopped; member++)
            ReadPage(statement, pages, member);
        _rows.ReadTags(session, pages.EventsFrom);
        session.Statement("COMMIT").Run();
        return true;
    }

    private void ReadPage(SqliteStatement statement, PageStatement pages, int member)
    {
        var ask = pages.Asks[member];
        statement.Bind(1, ask.PersistenceId).Bind(2, ask.Range.From).Bind(3, ask.Range.To).Bind(4, ask.Limit);
        var more = true;
        while (more && statement.Step())
            more = SqliteRows.IsDeleted(statement)
                ? pages.AddDeleted(member, SqliteRows.SequenceNumber(statement))
                : pages.Add(member, _rows.Event(statement, ask.PersistenceId));
        statement.Reset();
    }

    private JournalKey? LastKey(SqliteSession session)
    {
        var statement = session.Statement(_statements.LastKey);
        return statement.Step() ? SqliteRows.Key(statement) : null;
    }

    private List<JournalKey> Keys(SqliteSession session, KeysQuery query)
    {
        var statement = session.Statement(query.Inclusive ? _statements.KeysFrom : _statements.KeysAbove);
        statement.Bind(1, query.After).Bind(2, query.Limit);
        var keys = new List<JournalKey>();
        while (statement.Step())
            keys.Add(SqliteRows.Key(statement));
        return keys;
    }

    private bool ReadRows(SqliteSession session, RowsStatement rows)
    {
        session.Statement("BEGIN").Run();
        var statement = session.Statement(_statements.Row);
        var more = true;
        for (var i = 0; i < rows.Orderings.Count && more; i++)
        {
            if (statement.Bind(1, rows.Orderings[i]).Step() && !SqliteRows.IsDeleted(statement))
                more = rows.Add(_rows.Event(statement));
            statement.Reset();
        }
        _rows.ReadTags(session, rows.EventsFrom);
        session.Statement("COMMIT").Run();
        return true;
    }

    private bool ReadTagHorizon(SqliteSession session, long settled)
    {
        // A number that may be given out again may come back with a tag.
        if (_reusesOrderings)
            _rows.TagHorizon = 0;
        else
            _rows.ReadHorizon(session, settled);
        return true;
    }
}
