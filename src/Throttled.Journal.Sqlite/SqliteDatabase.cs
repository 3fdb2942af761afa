using Microsoft.Data.Sqlite;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;
using Throttled.Journal.Rows;

namespace Throttled.Journal.Sqlite;

/// <summary>
/// A journal in SQLite. There is one thread for page reads per permit, but at most one per core. Everything else runs on one
/// other thread, so pages never delay the tail. SQLite has one writer at a time, which commits in the order in which it
/// numbers. So nothing can still commit below the highest ordering.
/// </summary>
internal sealed class SqliteDatabase : IJournalDatabase
{
    private readonly SqliteSource _source;
    private readonly JournalTables _tables;
    private readonly ShardIdentity? _shard;
    private readonly SqliteJournalSql _sql;
    private readonly SqliteRowDecoder _decoder;
    private readonly SqliteScans _scans;
    private readonly SqlitePoll _poll;
    private readonly CancellationTokenSource _disposal = new();
    private readonly int _ceiling;
    private readonly SqliteThreads _pageThreads;
    private readonly SqliteThreads _tailThread;
    private volatile bool _reusesOrderings;

    internal SqliteDatabase(SqliteSource source, JournalOptions options)
    {
        (_source, _tables, _shard) = (source, options.Tables, options.Shard);
        _sql = new(_tables, options.MaxPayloadBytes);
        _decoder = new(_tables, _sql, leavesOut: options.MaxPayloadBytes is not null);
        _scans = new(_tables, _sql, _decoder);
        _poll = new(_tables, _sql, _decoder);
        _ceiling = Math.Min(options.MaxConcurrentQueries, Environment.ProcessorCount);
        var limits = new CallLimits(options.StatementTimeout, options.TimeProvider, _disposal.Token);
        _pageThreads = new("SQLite pages", _ceiling, source, limits);
        _tailThread = new("SQLite tail", 1, source, limits);
    }

    public string System => "sqlite";

    public string? Address => _source.File is { } file ? $"the file '{file}'" : null;

    public bool HasSchemas => false;

    public bool ReusesOrderings => _reusesOrderings;

    public Task<ProbeResult> ProbeAsync(CancellationToken cancellation) => _tailThread.RunAsync(Probe, cancellation);

    public Task ReadPagesAsync(ByIdRows rows, CancellationToken cancellation) => _pageThreads.RunAsync(session => _scans.Read(session, rows), cancellation);

    public Task ReadOrderedAsync(OrderedRows rows, CancellationToken cancellation) =>
        _pageThreads.RunAsync(session => _scans.Read(session, rows), cancellation);

    public Task ReadFromEndAsync(FromEndRows rows, CancellationToken cancellation) =>
        _pageThreads.RunAsync(session => _scans.Read(session, rows), cancellation);

    public Task ReadIdsAsync(IdsRows rows, CancellationToken cancellation) => _pageThreads.RunAsync(session => _scans.Read(session, rows), cancellation);

    public Task<TailStart> ReadStartAsync(CancellationToken cancellation) => _tailThread.RunAsync(_poll.Start, cancellation);

    public Task<KeysResult> ReadKeysAsync(KeysRequest request, CancellationToken cancellation) =>
        _tailThread.RunAsync(session => _poll.Keys(session, request), cancellation);

    public Task ReadRowsAsync(TailRows wanted, CancellationToken cancellation) => _tailThread.RunAsync(session => _poll.Rows(session, wanted), cancellation);

    public void ForgetTagHorizon() => _decoder.TagHorizon = 0;

    public Task ReadTagHorizonAsync(long settled, CancellationToken cancellation) =>
        _tables.TagMode == TagMode.TagTable
            ? _tailThread.RunAsync(session => ReadTagHorizon(session, settled), cancellation)
            : Task.CompletedTask;

    /// <summary>Always null: SQLite has one writer at a time, which commits its orderings before the next writer starts.</summary>
    public Task<string?> DescribeOldestAsync(IReadOnlySet<string> openTransactions, CancellationToken cancellation) => Task.FromResult<string?>(null);

    /// <summary>Always none: the database is in this process, and a call ends when its statement has ended.</summary>
    public Task<IReadOnlyList<BrokenSession>> StillRunningAsync(
        IReadOnlyList<BrokenSession> broken, CancellationToken cancellation) => Task.FromResult<IReadOnlyList<BrokenSession>>([]);

    public FaultKind Classify(Exception error) => SqliteFaults.Classify(error);

    /// <summary>Ends at once: SQLite cannot notify other processes.</summary>
    public Task ListenAsync(Action wake, CancellationToken cancellation) => Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        await _disposal.CancelAsync().ConfigureAwait(false);
        await _pageThreads.DisposeAsync().ConfigureAwait(false);
        await _tailThread.DisposeAsync().ConfigureAwait(false);
    }

    private ProbeResult Probe(SqliteSession session)
    {
        CheckTables(session);
        var mark = new SqliteShardMark(_tables, session.Statement);
        if (_shard is { } identity)
            mark.Check(identity);
        var numbering = new SqliteNumbering(_tables);
        _reusesOrderings = numbering.IsReused(session);
        var mode = ModeWarning(session.Statement(SqliteJournalSql.JournalMode).First(static row => row.Text(0)));
        string?[] warnings = [mode, _reusesOrderings ? numbering.Warning : null, _shard is null ? mark.Warning() : null];
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
            session.Statement(_sql.JournalColumns).Run();
        }
        catch (SqliteException error) when (SqliteFaults.IsMissingColumn(error)
            && MissingColumnException.OfJournal(_tables, dialect, error.Message, error) is { } missing)
        {
            throw missing;
        }
        try
        {
            _decoder.CheckTagTable(session);
        }
        catch (SqliteException error) when (SqliteFaults.IsMissingColumn(error)
            && MissingColumnException.OfTagTable(_tables, dialect, error.Message, error) is { } missing)
        {
            throw missing;
        }
    }

    private static string Cores(int count) => count == 1 ? "this machine has 1 core" : FormattableString.Invariant($"this machine has {count} cores");

    private string? ModeWarning(string? mode) => mode == "wal"
        ? null
        : $"The journal '{_source.Name}' is in journal mode '{mode}', in which readers block its writer; "
            + "run \"PRAGMA journal_mode = WAL\" on it once.";

    private void ReadTagHorizon(SqliteSession session, long settled)
    {
        // An ordering that is issued again may have a tag the second time.
        if (_reusesOrderings)
            _decoder.TagHorizon = 0;
        else
            _decoder.ReadHorizon(session, settled);
    }
}
