using Microsoft.Data.Sqlite;
using Throttled.Journal.Sharding;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Sqlite;

/// <summary>
/// A journal in SQLite. Pages are read on as many threads as there are permits, but no more than cores; everything else on
/// one thread of its own, so that no page keeps the tail waiting. There is one writer at a time and it commits in the order
/// in which it numbers, so nothing can still commit below the highest ordering.
/// </summary>
internal sealed class SqliteDatabase : IJournalDatabase
{
    private readonly SqliteSource _source;
    private readonly JournalTables _tables;
    private readonly ShardPlace? _shard;
    private readonly SqliteStatements _statements;
    private readonly SqliteRows _rows;
    private readonly SqlitePages _pages;
    private readonly SqliteTail _tail;
    private readonly CancellationTokenSource _disposal = new();
    private readonly int _ceiling;
    private readonly SqliteThreads _pageThreads;
    private readonly SqliteThreads _tailThread;
    private volatile bool _reusesOrderings;

    internal SqliteDatabase(SqliteSource source, JournalOptions options)
    {
        (_source, _tables, _shard) = (source, options.Tables, options.Shard);
        _statements = new(_tables, options.MaxPayloadBytes);
        _rows = new(_tables, _statements, leavesOut: options.MaxPayloadBytes is not null);
        _pages = new(_tables, _statements, _rows);
        _tail = new(_tables, _statements, _rows);
        _ceiling = Math.Min(options.MaxConcurrentQueries, Environment.ProcessorCount);
        var limits = new CallLimits(options.StatementTimeout, options.TimeProvider, _disposal.Token);
        _pageThreads = new("SQLite pages", _ceiling, source, limits);
        _tailThread = new("SQLite tail", 1, source, limits);
    }

    public string System => "sqlite";

    public bool HasSchemas => false;

    public bool ReusesOrderings => _reusesOrderings;

    public Task<ServerFacts> ProbeAsync(CancellationToken cancellation) => _tailThread.RunAsync(Probe, cancellation);

    public Task ReadPagesAsync(PageStatement statement, CancellationToken cancellation) =>
        _pageThreads.RunAsync(session => _pages.Read(session, statement), cancellation);

    public Task ReadOrderedAsync(OrderedStatement statement, CancellationToken cancellation) =>
        _pageThreads.RunAsync(session => _pages.Read(session, statement), cancellation);

    public Task ReadFromEndAsync(FromEndStatement statement, CancellationToken cancellation) =>
        _pageThreads.RunAsync(session => _pages.Read(session, statement), cancellation);

    public Task ReadIdsAsync(IdsStatement statement, CancellationToken cancellation) =>
        _pageThreads.RunAsync(session => _pages.Read(session, statement), cancellation);

    public Task<TailAnchor> ReadAnchorAsync(CancellationToken cancellation) => _tailThread.RunAsync(_tail.Anchor, cancellation);

    public Task<KeysFound> ReadKeysAsync(KeysQuery query, CancellationToken cancellation) =>
        _tailThread.RunAsync(session => _tail.Keys(session, query), cancellation);

    public Task ReadRowsAsync(RowsStatement statement, CancellationToken cancellation) =>
        _tailThread.RunAsync(session => _tail.Rows(session, statement), cancellation);

    public void ForgetTagHorizon() => _rows.TagHorizon = 0;

    public Task ReadTagHorizonAsync(long settled, CancellationToken cancellation) =>
        _tables.TagMode == TagMode.TagTable
            ? _tailThread.RunAsync(session => ReadTagHorizon(session, settled), cancellation)
            : Task.CompletedTask;

    /// <summary>Nobody: there is one writer at a time, and what it numbers it commits before the next.</summary>
    public Task<string?> DescribeOldestAsync(IReadOnlySet<string> holders, CancellationToken cancellation) => Task.FromResult<string?>(null);

    /// <summary>None: the database is in this process, and a call ends when its statement has.</summary>
    public Task<IReadOnlyList<LostStatement>> StillRunningAsync(
        IReadOnlyList<LostStatement> lost, CancellationToken cancellation) => Task.FromResult<IReadOnlyList<LostStatement>>([]);

    public FaultKind Classify(Exception error) => SqliteFaults.Classify(error);

    /// <summary>Ends at once: SQLite tells other processes nothing.</summary>
    public Task ListenAsync(Action wake, CancellationToken cancellation) => Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        await _disposal.CancelAsync().ConfigureAwait(false);
        await _pageThreads.DisposeAsync().ConfigureAwait(false);
        await _tailThread.DisposeAsync().ConfigureAwait(false);
    }

    private ServerFacts Probe(SqliteSession session)
    {
        CheckTables(session);
        var stamp = new SqliteStamp(_tables, session.Statement);
        if (_shard is { } place)
            stamp.Check(place);
        var numbering = new SqliteNumbering(_tables);
        _reusesOrderings = numbering.IsReused(session);
        var mode = ModeWarning(session.Statement(SqliteStatements.JournalMode).First(static row => row.Text(0)));
        string?[] warnings = [mode, _reusesOrderings ? numbering.Warning : null, _shard is null ? stamp.Warning() : null];
        return new(_ceiling, Cores(Environment.ProcessorCount))
        {
            Warning = Array.TrueForAll(warnings, each => each is null) ? null : string.Join(' ', warnings.OfType<string>()),
            TagWarning = new SqliteTagIndex(_tables).Warning(session),
        };
    }

    private void CheckTables(SqliteSession session)
    {
        var dialect = new SqliteDialect();
        try
        {
            session.Statement(_statements.JournalColumns).Run();
        }
        catch (SqliteException error) when (SqliteFaults.IsMissingColumn(error)
            && MissingColumnException.OfJournal(_tables, dialect, error.Message, error) is { } missing)
        {
            throw missing;
        }
        try
        {
            _rows.CheckTagTable(session);
        }
        catch (SqliteException error) when (SqliteFaults.IsMissingColumn(error)
            && MissingColumnException.OfTagTable(_tables, dialect, error.Message, error) is { } missing)
        {
            throw missing;
        }
    }

    private static string Cores(int count) =>
        count == 1 ? "this machine has 1 core" : FormattableString.Invariant($"this machine has {count} cores");

    private string? ModeWarning(string? mode) => mode == "wal"
        ? null
        : $"The journal '{_source.Name}' is in journal mode '{mode}', in which readers block its writer; "
            + "run \"PRAGMA journal_mode = WAL\" on it once.";

    private void ReadTagHorizon(SqliteSession session, long settled)
    {
        // A number that may be issued again may come back with a tag.
        if (_reusesOrderings)
            _rows.TagHorizon = 0;
        else
            _rows.ReadHorizon(session, settled);
    }
}
