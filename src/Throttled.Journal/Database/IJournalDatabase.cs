using Throttled.Journal.Rows;

namespace Throttled.Journal.Database;

/// <summary>
/// Runs the engine's statements on one database. Each call uses one connection; its task ends when the statement has ended in the database.
/// Cancelling also cancels the statement in the database. When the database has acknowledged it, the task ends with
/// <see cref="OperationCanceledException"/>. If a connection breaks while its statement may still run, the task fails with
/// <see cref="SessionBrokenException"/>. Calls may overlap: the tail's calls run beside those for pages.
/// </summary>
internal interface IJournalDatabase : IAsyncDisposable
{
    /// <summary>The database's name in OpenTelemetry: <c>sqlite</c>, <c>postgresql</c>.</summary>
    string System { get; }

    /// <summary>The database and the user, as in <c>database 'app' on db:5432 as user 'reader'</c>; null if each error already names them.</summary>
    string? Address => null;

    /// <summary>Whether the database can issue the orderings of deleted newest rows again (SQLite without AUTOINCREMENT). Known after a probe.</summary>
    bool ReusesOrderings { get; }

    /// <summary>
    /// Whether its list of open transactions was verified on the database itself. If false, each gap also has a least age; see
    /// <see cref="JournalOptions.GapMinAge"/>.
    /// </summary>
    bool HasTriedEvidence => true;

    bool HasSchemas => true;

    /// <summary>Opens or tests a connection, and reads the server's limits. No other statement runs while the database is unavailable.</summary>
    Task<ProbeResult> ProbeAsync(CancellationToken cancellation);

    /// <summary>
    /// From now on, all calls except probes must run on the server that answered this probe; on another server they fail. Called on the loop: no call
    /// can read from a server that the engine does not know yet.
    /// </summary>
    void Accept(ProbeResult result)
    {
    }

    Task ReadPagesAsync(ByIdRows rows, CancellationToken cancellation);

    Task ReadOrderedAsync(OrderedRows rows, CancellationToken cancellation);

    Task ReadFromEndAsync(FromEndRows rows, CancellationToken cancellation);

    Task ReadIdsAsync(IdsRows rows, CancellationToken cancellation);

    /// <summary>Reads the highest key first. Then, in a later statement, the open transactions that may still commit below it.</summary>
    Task<TailStart> ReadStartAsync(CancellationToken cancellation);

    /// <summary>Reads the keys first. Then, in later statements, whatever else is requested.</summary>
    Task<KeysResult> ReadKeysAsync(KeysRequest request, CancellationToken cancellation);

    /// <summary>Reads whole rows by ordering into <paramref name="wanted"/>. Deleted rows and rows that do not exist are left out.</summary>
    Task ReadRowsAsync(TailRows wanted, CancellationToken cancellation);

    /// <summary>
    /// Finds the ordering below which no event has a tag, so that later pages do not search there. It is at most <paramref name="settled"/>, the
    /// ordering below which nothing can be committed any more. Does nothing if the tags are in the event's row.
    /// </summary>
    Task ReadTagHorizonAsync(long settled, CancellationToken cancellation);

    /// <summary>
    /// Describes the oldest of these transactions as a clause for the log: its start, its owner and its activity. Null if none is open any more, or
    /// if the database does not report it.
    /// </summary>
    Task<string?> DescribeOldestAsync(IReadOnlySet<string> openTransactions, CancellationToken cancellation);

    /// <summary>Discards the result of <see cref="ReadTagHorizonAsync"/> at once. The database may contain another journal now.</summary>
    void ForgetTagHorizon();

    /// <summary>Returns the broken sessions whose statement still runs on the server, and cancels these statements.</summary>
    Task<IReadOnlyList<BrokenSession>> StillRunningAsync(IReadOnlyList<BrokenSession> broken, CancellationToken cancellation);

    FaultKind Classify(Exception error);

    /// <summary>The text for an exception of any of these calls, in messages and in the log.</summary>
    string ReasonOf(Exception error) => error.Message;

    /// <summary>
    /// Calls <paramref name="wake"/>, on any thread, when the database notifies that the journal was written. Runs until cancelled or until the
    /// connection breaks. Ends at once if the database has no notifications or they are switched off.
    /// </summary>
    Task ListenAsync(Action wake, CancellationToken cancellation);
}

/// <summary>The result of a probe.</summary>
/// <param name="StatementCeiling">The most statements of this journal that the server can run at once, regardless of the options.</param>
/// <param name="CeilingReason">The reason, as a clause for the log: "max_connections is 100".</param>
internal sealed record ProbeResult(int StatementCeiling, string CeilingReason)
{
    /// <summary>The server that answered; the same name until it restarts. Null if the database is always the same one or does not report it.</summary>
    internal string? Server { get; init; }

    /// <summary>The distance between two orderings that the database issues; 1 if it does not report it.</summary>
    internal long Increment { get; init; } = 1;

    /// <summary>The connections of the server; null if they are not limited.</summary>
    internal ConnectionBudget? Budget { get; init; }

    /// <summary>A problem of the database, as a sentence for the log; null if there is none.</summary>
    internal string? Warning { get; init; }

    /// <summary>Why reading by tag is slow, as a sentence. It is logged when a query reads by tag. Null if it is not slow.</summary>
    internal string? TagWarning { get; init; }

    /// <summary>Why queries in journal order would miss events, as a sentence; null if they do not.</summary>
    internal string? OrderRefusal { get; init; }

    internal static string NoTagIndex(JournalTables tables, string quotedTable, string remedy) =>
        $"The tag table {quotedTable} has no index on '{tables.TagColumn}' and '{tables.TagOrderingColumn}', so reading by tag goes "
        + $"through the tags of all events. Run once: {remedy}";
}

/// <summary>The connections of a server, and how many of them one journal may use.</summary>
/// <param name="Usable">Connections for ordinary users, for all processes together.</param>
/// <param name="Others">Connections that a journal uses in addition to those of its statements.</param>
internal sealed record ConnectionBudget(int Usable, int Others)
{
    private const int MostForOperator = 5;

    /// <summary>How many statements of a journal may run at once. Two processes with this number leave some connections for an operator.</summary>
    internal int Statements => Math.Max(1, ((Usable - Math.Min(MostForOperator, Usable / 10)) / 2) - Others);
}
