namespace Throttled.Journal.Sql;

/// <summary>
/// Runs the engine's statements on one database. A call is one use of one connection; its task ends when the statement
/// has ended in the database. Cancelling reaches the database, and the task then ends with
/// <see cref="OperationCanceledException"/> after the database acknowledged. A connection that breaks while its statement may
/// still run ends it with <see cref="StatementLostException"/>. Calls may overlap, the tail's with those of the pages.
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
    Task<ServerFacts> ProbeAsync(CancellationToken cancellation);

    /// <summary>
    /// From now on all calls but probes are to run on the server that gave these facts; on another one they fail. Called on the loop, so that
    /// no call reads from a server that the engine does not know yet.
    /// </summary>
    void Accept(ServerFacts facts)
    {
    }

    /// <summary>Reads the pages of one statement, row by row, into <paramref name="statement"/>.</summary>
    Task ReadPagesAsync(PageStatement statement, CancellationToken cancellation);

    /// <summary>Reads events in journal order, row by row, into <paramref name="statement"/>.</summary>
    Task ReadOrderedAsync(OrderedStatement statement, CancellationToken cancellation);

    /// <summary>Reads rows backwards from the end of the journal, row by row, into <paramref name="statement"/>.</summary>
    Task ReadFromEndAsync(FromEndStatement statement, CancellationToken cancellation);

    /// <summary>Reads persistence ids into <paramref name="statement"/>.</summary>
    Task ReadIdsAsync(IdsStatement statement, CancellationToken cancellation);

    /// <summary>Reads the highest key and then, separately and later, who may still commit below it.</summary>
    Task<TailAnchor> ReadAnchorAsync(CancellationToken cancellation);

    /// <summary>Reads keys for the tail: first the keys, then, separately and later, what else the request asks for.</summary>
    Task<KeysFound> ReadKeysAsync(KeysQuery query, CancellationToken cancellation);

    /// <summary>Reads whole rows by ordering into <paramref name="statement"/>; those that are deleted or gone are simply missing.</summary>
    Task ReadRowsAsync(RowsStatement statement, CancellationToken cancellation);

    /// <summary>
    /// Learns below which ordering no event has a tag, so that pages need not look: at most <paramref name="settled"/>, the
    /// ordering below which nothing can commit any more. Does nothing where tags stand in the row.
    /// </summary>
    Task ReadTagHorizonAsync(long settled, CancellationToken cancellation);

    /// <summary>
    /// Describes the oldest of some open transactions, as a clause for the log: since when it is open, whose it is and what it does. Null
    /// where there is none any more, or the database cannot say.
    /// </summary>
    Task<string?> DescribeOldestAsync(IReadOnlySet<string> holders, CancellationToken cancellation);

    /// <summary>Forgets what <see cref="ReadTagHorizonAsync"/> learned, at once: it may be another journal now.</summary>
    void ForgetTagHorizon();

    /// <summary>Which of the broken sessions still run their statement on the server; it is told to end them.</summary>
    Task<IReadOnlyList<LostStatement>> StillRunningAsync(IReadOnlyList<LostStatement> lost, CancellationToken cancellation);

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
