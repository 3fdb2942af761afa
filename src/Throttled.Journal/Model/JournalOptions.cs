using Microsoft.Extensions.Logging;

namespace Throttled.Journal;

/// <summary>How a <see cref="JournalReader"/> reads. Every value has a default that suits most; a bad one is refused at start.</summary>
public sealed record JournalOptions
{
    /// <summary>
    /// What metrics and activities call the journal, as their tag <c>throttled.journal.name</c>, where a process reads several; log messages begin with
    /// it. <c>journal</c> by default, which log messages do not have.
    /// </summary>
    public string Name { get; init; } = "journal";

    /// <summary>The journal's tables and columns. <see cref="JournalTables.Default"/> by default.</summary>
    public JournalTables Tables { get; init; } = JournalTables.Default;

    /// <summary>
    /// Statements that may run on the database at once, over all queries of this journal. At least 1; 100 by default. What
    /// the database can take is a ceiling: somewhat less than half of the connections that PostgreSQL or SQL Server gives out, the machine's cores on SQLite.
    /// </summary>
    public int MaxConcurrentQueries { get; init; } = 100;

    /// <summary>
    /// Statements that may be started in a second, over all queries of this journal. From 0 to 1,000,000; 0, the default,
    /// sets no rate. The tail's own poll is not counted.
    /// </summary>
    public int MaxQueriesPerSecond { get; init; }

    /// <summary>
    /// Statements that may start at once after a pause, where <see cref="MaxQueriesPerSecond"/> sets a rate. At least 1;
    /// 100 by default.
    /// </summary>
    public int Burst { get; init; } = 100;

    /// <summary>
    /// While a query waits longer than this for its turn, the log warns each time that it has passed; the query goes on waiting. From
    /// 1 s to 1 day; 30 s by default.
    /// </summary>
    public TimeSpan QueryThrottleWarning { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// Rows that one query reads at a time, and holds at most. From 1 to 100,000; 500 by default. A query in journal order that catches
    /// up goes on to larger pages, of <see cref="MaxRowsPerStatement"/> at most, as long as they come full and are below a megabyte; and it holds
    /// so many rows that came since beside the page that its reader is in.
    /// </summary>
    public int MaxBufferSize { get; init; } = 500;

    /// <summary>Waiting queries that one statement reads for. From 1 to 10,000; 100 by default.</summary>
    public int MaxQueriesPerStatement { get; init; } = 100;

    /// <summary>Rows that one statement reads at most. At least 1; 10,000 by default.</summary>
    public int MaxRowsPerStatement { get; init; } = 10_000;

    /// <summary>
    /// Bytes of rows that the journal holds in memory over all queries, 16 KiB and a row more per running statement at most. What
    /// several queries share counts for each of them. At least 1; 64 MiB by default. At the bound, reading pauses and readers that
    /// sleep on a page lose it; they read it again.
    /// </summary>
    public long MaxBufferedBytes { get; init; } = 64L * 1024 * 1024;

    /// <summary>
    /// The largest payload that is read, in bytes as they would be delivered. At least 1; null, the default, sets no limit. What an event does that is
    /// above it, <see cref="OnLargePayload"/> says; its payload stays in the database.
    /// </summary>
    public int? MaxPayloadBytes { get; init; }

    /// <summary>
    /// What queries do about an event whose payload is above <see cref="MaxPayloadBytes"/>. <see cref="LargePayloadAction.Fail"/> by default.
    /// </summary>
    public LargePayloadAction OnLargePayload { get; init; } = LargePayloadAction.Fail;

    /// <summary>How often the tail polls for new events when there were none. From 1 ms to 1 h; 200 ms by default.</summary>
    public TimeSpan RefreshInterval { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>The least time between two polls while there are new events. From 0 to <see cref="RefreshInterval"/>; 10 ms by default.</summary>
    public TimeSpan MinPollInterval { get; init; } = TimeSpan.FromMilliseconds(10);

    /// <summary>Events that the tail may be behind before it jumps to the end and lets its queries read pages. At least 1; 50,000 by default.</summary>
    public int TailMaxLag { get; init; } = 50_000;

    /// <summary>
    /// A statement that runs longer is ended by the database, and its work is tried again in halves. From 1 s to 1 h; 30 s by
    /// default.
    /// </summary>
    public TimeSpan StatementTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long a missing ordering is waited for where the database cannot tell whether it may still be committed. From 1 s
    /// to 1 h; 10 s by default.
    /// </summary>
    public TimeSpan GapTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// SQL Server: how long a missing ordering is waited for even where the locks on the server show that nobody may commit it any more, and after the first query
    /// what was open then. From 0 to <see cref="GapTimeout"/>; null, the default, is 10 s, or <see cref="GapTimeout"/> where that is shorter. 0 trusts the locks alone: run the experiments of
    /// decision 23 on your server before. Other databases do not use it.
    /// </summary>
    public TimeSpan? GapMinAge { get; init; }

    /// <summary>
    /// What queries in journal order do about an ordering that has been missing for <see cref="GapTimeout"/> while a transaction that may
    /// own it is still open. <see cref="GapTimeoutAction.Wait"/> by default.
    /// </summary>
    public GapTimeoutAction OnGapTimeout { get; init; } = GapTimeoutAction.Wait;

    /// <summary>
    /// How long an error that repeating cannot cure (permission, no such database) is repeated all the same once the
    /// database has worked, because failovers pass through such states. From 0 to 1 h; 60 s by default.
    /// </summary>
    public TimeSpan FatalErrorGracePeriod { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// How long a current query waits while the database is away before it fails with <see cref="JournalException"/>. At least
    /// 1 s; null, the default, is for ever. Live queries always wait.
    /// </summary>
    public TimeSpan? CurrentQueryTimeout { get; init; }

    /// <summary>Whether a missing journal table fails the queries. By default they wait for it, with one warning.</summary>
    public bool RequireTable { get; init; }

    /// <summary>Whether statements are prepared, once per connection. On by default; behind a pooler that hides the server's processes they are not, whatever this says.</summary>
    public bool PrepareStatements { get; init; } = true;

    /// <summary>
    /// Whether PostgreSQL wakes the tail by NOTIFY, for which the trigger of <c>docs/sql/notify-postgresql.sql</c> must be installed. Off
    /// by default, because NOTIFY makes commits wait for one another.
    /// </summary>
    public bool Notify { get; init; }

    /// <summary>
    /// Whether events are read in the order of the journal although PostgreSQL's sessions draw orderings in advance (a sequence with a
    /// <c>CACHE</c> above 1), so that a position may skip events. Off by default: such queries are refused then.
    /// </summary>
    public bool AllowCachedSequence { get; init; }

    /// <summary>Which shard of a journal it is; null for one that is not divided.</summary>
    internal ShardIdentity? Shard { get; init; }

    /// <summary>Where to log. Nowhere by default.</summary>
    public ILoggerFactory? LoggerFactory { get; init; }

    /// <summary>The clock and the timers. The system's by default.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}

/// <summary>What queries do about an event whose payload is above <see cref="JournalOptions.MaxPayloadBytes"/>. It is never read.</summary>
public enum LargePayloadAction
{
    /// <summary>The query that wants the event fails with <see cref="JournalException"/>, after all that comes before it.</summary>
    Fail,

    /// <summary>The event is left out. The log warns of the first.</summary>
    Skip,

    /// <summary>The event comes with an empty payload; <see cref="JournalEvent.OmittedPayloadBytes"/> says how long it was.</summary>
    OmitPayload,
}

/// <summary>
/// What queries in journal order do about an ordering that has been missing for <see cref="JournalOptions.GapTimeout"/>, while a
/// transaction that may own it is still open.
/// </summary>
public enum GapTimeoutAction
{
    /// <summary>They wait until that transaction has ended. Nothing is ever skipped.</summary>
    Wait,

    /// <summary>They go on. If the transaction commits later, they do not see its events.</summary>
    Skip,
}
