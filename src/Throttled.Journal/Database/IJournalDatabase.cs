using Throttled.Journal.Rows;

namespace Throttled.Journal.Database;

/// <summary>
/// Runs the engine's statements on one database. A call is one use of one connection; its task ends when the statement
/// has ended in the database. Cancelling reaches the database, and the task then ends with
/// <see cref="OperationCanceledException"/> after the database acknowledged. A connection that breaks while its statement may
/// still run ends it with <see cref="SessionBrokenException"/>. Calls may overlap, the tail's with those of the pages.
/// </summary>
internal interface IJournalDatabase : IAsyncDisposable
{
    /// <summary>The database's name as OpenTelemetry spells it: <c>sqlite</c>, <c>postgresql</c>.</summary>
    string System { get; }

    /// <summary>Which database it is and who reads it, as in <c>database 'app' on db:5432 as user 'reader'</c>; null where each error says it.</summary>
    string? Address => null;

    /// <summary>Whether orderings of deleted newest rows can be issued again (SQLite without AUTOINCREMENT). Known after a probe.</summary>
    bool ReusesOrderings { get; }

    /// <summary>Whether its evidence of who may still commit an ordering was tried on the database itself; otherwise a gap is also given time.</summary>
    bool HasTriedEvidence => true;

    /// <summary>Whether tables stand in schemas.</summary>
    bool HasSchemas => true;

    /// <summary>Opens a connection, or finds one alive, and learns what the server allows. The one statement while it is away.</summary>
    Task<ProbeResult> ProbeAsync(CancellationToken cancellation);

    /// <summary>
    /// From now on all calls but probes are to run on the server that gave these facts; on another one they fail. Called on the loop, so that
    /// no call reads from a server that the engine does not know yet.
    /// </summary>
    void Accept(ProbeResult result)
    {
    }

    /// <summary>Reads the pages of one statement, row by row, into <paramref name="rows"/>.</summary>
    Task ReadPagesAsync(ByIdRows rows, CancellationToken cancellation);

    /// <summary>Reads events in journal order, row by row, into <paramref name="rows"/>.</summary>
    Task ReadOrderedAsync(OrderedRows rows, CancellationToken cancellation);

    /// <summary>Reads rows backwards from the end of the journal, row by row, into <paramref name="rows"/>.</summary>
    Task ReadFromEndAsync(FromEndRows rows, CancellationToken cancellation);

    /// <summary>Reads persistence ids into <paramref name="rows"/>.</summary>
    Task ReadIdsAsync(IdsRows rows, CancellationToken cancellation);

    /// <summary>Reads the highest key and then, separately and later, who may still commit below it.</summary>
    Task<TailStart> ReadStartAsync(CancellationToken cancellation);

    /// <summary>Reads keys for the tail: first the keys, then, separately and later, what else the request asks for.</summary>
    Task<KeysResult> ReadKeysAsync(KeysRequest request, CancellationToken cancellation);

    /// <summary>Reads whole rows by ordering into <paramref name="wanted"/>; those that are deleted or gone are simply missing.</summary>
    Task ReadRowsAsync(TailRows wanted, CancellationToken cancellation);

    /// <summary>
    /// Learns below which ordering no event has a tag, so that pages need not look: at most <paramref name="settled"/>, the
    /// ordering below which nothing can commit any more. Does nothing where tags stand in the row.
    /// </summary>
    Task ReadTagHorizonAsync(long settled, CancellationToken cancellation);

    /// <summary>
    /// Describes the oldest of some open transactions, as a clause for the log: since when it is open, whose it is and what it does. Null
    /// where there is none any more, or the database cannot say.
    /// </summary>
    Task<string?> DescribeOldestAsync(IReadOnlySet<string> openTransactions, CancellationToken cancellation);

    /// <summary>Forgets what <see cref="ReadTagHorizonAsync"/> learned, at once: it may be another journal now.</summary>
    void ForgetTagHorizon();

    /// <summary>Which of the broken sessions still run their statement on the server; it is told to end them.</summary>
    Task<IReadOnlyList<BrokenSession>> StillRunningAsync(IReadOnlyList<BrokenSession> broken, CancellationToken cancellation);

    /// <summary>What an exception of any of these calls means.</summary>
    FaultKind Classify(Exception error);

    /// <summary>What is told of an exception of any of these calls, in messages and in the log.</summary>
    string ReasonOf(Exception error) => error.Message;

    /// <summary>
    /// Calls <paramref name="wake"/>, on any thread, whenever the journal notifies that it was written to, until cancelled or
    /// the connection breaks. Ends at once where the database has no such thing or it is switched off.
    /// </summary>
    Task ListenAsync(Action wake, CancellationToken cancellation);
}

/// <summary>What a probe learns about the server.</summary>
/// <param name="StatementCeiling">How many statements of this journal it can take at once, whatever is configured.</param>
/// <param name="CeilingReason">Why, as a clause for the log: "max_connections is 100".</param>
internal sealed record ProbeResult(int StatementCeiling, string CeilingReason)
{
    /// <summary>Names the server that answered, from its start to its end; null where the database is always the same one, or cannot say.</summary>
    internal string? Server { get; init; }

    /// <summary>How far apart the orderings are that it gives out; 1 where it does not tell.</summary>
    internal long Increment { get; init; } = 1;

    /// <summary>What the connections come from; null where there is no such bound.</summary>
    internal ConnectionBudget? Budget { get; init; }

    /// <summary>A thing its owner should know, as a sentence for the log; null where all is well.</summary>
    internal string? Warning { get; init; }

    /// <summary>Why reading by tag will be slow, as a sentence for the log of who does it; null where it will not.</summary>
    internal string? TagWarning { get; init; }

    /// <summary>Why events cannot be read in the order of the journal without missing some, as a sentence; null where they can.</summary>
    internal string? OrderRefusal { get; init; }

    /// <summary>The warning that the index is missing that reading by tag needs.</summary>
    internal static string NoTagIndex(JournalTables tables, string quotedTable, string remedy) =>
        $"The tag table {quotedTable} has no index on '{tables.TagColumn}' and '{tables.TagOrderingColumn}', so reading by tag goes "
        + $"through the tags of all events. Run once: {remedy}";
}

/// <summary>The connections that a server gives out, and how many of them one journal may take.</summary>
/// <param name="Usable">Connections that it gives to ordinary users, all processes together.</param>
/// <param name="Others">Those that a journal takes beside its statements.</param>
internal sealed record ConnectionBudget(int Usable, int Others)
{
    private const int MostForOperator = 5;

    /// <summary>How many statements of a journal may run at once: two processes like this one leave some connections for an operator.</summary>
    internal int Statements => Math.Max(1, ((Usable - Math.Min(MostForOperator, Usable / 10)) / 2) - Others);
}
