using Microsoft.Extensions.Logging;

namespace Throttled.Journal;

/// <summary>How a <see cref="JournalReader"/> reads. Each option has a default that suits most journals. Invalid values are rejected at start.</summary>
public sealed record JournalOptions
{
    /// <summary>
    /// The name of the journal in metrics and activities (tag <c>throttled.journal.name</c>), for processes that read several journals. Log messages
    /// begin with it, unless it is the default, <c>journal</c>.
    /// </summary>
    public string Name { get; init; } = "journal";

    /// <summary>The journal's tables and columns. <see cref="JournalTables.Default"/> by default.</summary>
    public JournalTables Tables { get; init; } = JournalTables.Default;

    /// <summary>
    /// The most statements that run on the database at once, for all queries of this journal. At least 1; 100 by default. The server's capacity
    /// lowers the limit: to somewhat less than half of the connections of PostgreSQL or SQL Server, and to the number of processor cores on SQLite.
    /// </summary>
    public int MaxConcurrentQueries { get; init; } = 100;

    /// <summary>
    /// The most statements that start in a second, for all queries of this journal. From 0 to 1,000,000; 0, the default, sets no limit. The tail's
    /// own polls are not counted.
    /// </summary>
    public int MaxQueriesPerSecond { get; init; }

    /// <summary>The most statements that start at once after a pause, if <see cref="MaxQueriesPerSecond"/> sets a limit. At least 1; 100 by default.</summary>
    public int Burst { get; init; } = 100;

    /// <summary>
    /// If a query waits longer than this for a permit, a warning is logged, and repeated each time this duration has passed. The query continues to
    /// wait. From 1 s to 1 day; 30 s by default.
    /// </summary>
    public TimeSpan QueryThrottleWarning { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// The most rows that one query reads at a time and holds in memory. From 1 to 100,000; 500 by default. A query in journal order that is catching
    /// up may read larger pages, up to 8,192 or <see cref="MaxRowsPerStatement"/> rows, while its pages are full and smaller than a megabyte. It reads the
    /// next of these while its reader processes one. In addition to the page that is being read, a query holds up to this number of newer rows.
    /// </summary>
    public int MaxBufferSize { get; init; } = 500;

    /// <summary>The most waiting queries that share one statement. From 1 to 10,000; 100 by default.</summary>
    public int MaxQueriesPerStatement { get; init; } = 100;

    /// <summary>The most rows that one statement reads. At least 1; 10,000 by default.</summary>
    public int MaxRowsPerStatement { get; init; } = 10_000;

    /// <summary>
    /// The most bytes of rows that the journal holds in memory, for all queries. Each running statement may exceed it by 16 KiB and one row. Rows
    /// that several queries share count once for each. At least 1; 64 MiB by default. At the limit, statements pause, and readers that are idle on a
    /// page lose it and read it again later.
    /// </summary>
    public long MaxBufferedBytes { get; init; } = 64L * 1024 * 1024;

    /// <summary>
    /// The largest payload that is read, in bytes as delivered. At least 1; null, the default, sets no limit. A larger payload stays in the database,
    /// and its event is handled as <see cref="OnLargePayload"/> says.
    /// </summary>
    public int? MaxPayloadBytes { get; init; }

    /// <summary>How queries handle an event whose payload is above <see cref="MaxPayloadBytes"/>. <see cref="LargePayloadAction.Fail"/> by default.</summary>
    public LargePayloadAction OnLargePayload { get; init; } = LargePayloadAction.Fail;

    /// <summary>The time between two polls while there are no new events. From 1 ms to 1 h; 200 ms by default.</summary>
    public TimeSpan RefreshInterval { get; init; } = TimeSpan.FromMilliseconds(200);

    /// <summary>The least time between two polls while there are new events. From 0 to <see cref="RefreshInterval"/>; 5 ms by default.</summary>
    public TimeSpan MinPollInterval { get; init; } = TimeSpan.FromMilliseconds(5);

    /// <summary>
    /// If the tail is more than this number of events behind, it jumps to the end and its queries catch up by reading pages. At least 1; 50,000 by
    /// default.
    /// </summary>
    public int TailMaxLag { get; init; } = 50_000;

    /// <summary>The database cancels a statement that runs longer. The engine then retries its work in halves. From 1 s to 1 h; 30 s by default.</summary>
    public TimeSpan StatementTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long queries wait for a missing ordering if the database cannot tell whether it may still be committed. From 1 s to 1 h; 10 s by default.
    /// </summary>
    public TimeSpan GapTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// SQL Server only: the least time that queries wait for a missing ordering, even if the server's locks show that no open transaction can commit
    /// it. The first query waits at least as long for the transactions that are open at its start. From 0 to <see cref="GapTimeout"/>; null, the
    /// default, is 10 s, or <see cref="GapTimeout"/> if that is shorter. 0 trusts the locks alone: run the experiments of decision 23 on your server
    /// first. Other databases ignore this option.
    /// </summary>
    public TimeSpan? GapMinAge { get; init; }

    /// <summary>
    /// How queries in journal order handle an ordering that has been missing for <see cref="GapTimeout"/> while a transaction that may own it is
    /// still open. <see cref="GapTimeoutAction.Wait"/> by default.
    /// </summary>
    public GapTimeoutAction OnGapTimeout { get; init; } = GapTimeoutAction.Wait;

    /// <summary>
    /// How long statements are retried after a permanent error (permission, no such database) if the database has worked before. A failover can cause
    /// these errors for a short time. From 0 to 1 h; 60 s by default.
    /// </summary>
    public TimeSpan FatalErrorGracePeriod { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// How long a current query waits while the database is unavailable before it fails with <see cref="JournalException"/>. At least 1 s; null, the
    /// default, waits forever. Live queries always wait.
    /// </summary>
    public TimeSpan? CurrentQueryTimeout { get; init; }

    /// <summary>Whether queries fail if the journal table does not exist. By default they wait for it, with one warning.</summary>
    public bool RequireTable { get; init; }

    /// <summary>
    /// Whether statements are prepared, once per connection. On by default. Statements are never prepared behind a pooler that hides the server's
    /// processes.
    /// </summary>
    public bool PrepareStatements { get; init; } = true;

    /// <summary>
    /// Whether PostgreSQL notifies the tail of new events (NOTIFY). This needs the trigger of <c>docs/sql/notify-postgresql.sql</c>. Off by default,
    /// because NOTIFY makes commits wait for one another.
    /// </summary>
    public bool Notify { get; init; }

    /// <summary>
    /// Whether queries in journal order run although PostgreSQL's sessions draw orderings in advance (a sequence with a <c>CACHE</c> above 1).
    /// Positions may then skip events. Off by default: these queries are refused.
    /// </summary>
    public bool AllowCachedSequence { get; init; }

    /// <summary>The shard that this reader reads; null if the journal is not sharded.</summary>
    internal ShardIdentity? Shard { get; init; }

    /// <summary>Creates the log. Nothing is logged by default.</summary>
    public ILoggerFactory? LoggerFactory { get; init; }

    /// <summary>The source of time and timers. The system clock by default.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;
}

/// <summary>How queries handle an event whose payload is above <see cref="JournalOptions.MaxPayloadBytes"/>. The payload is never read.</summary>
public enum LargePayloadAction
{
    /// <summary>The query fails with <see cref="JournalException"/> after it has delivered all events before this one.</summary>
    Fail,

    /// <summary>The event is left out. A warning is logged for the first one.</summary>
    Skip,

    /// <summary>The event has an empty payload; <see cref="JournalEvent.OmittedPayloadBytes"/> has the payload's length.</summary>
    OmitPayload,
}

/// <summary>
/// How queries in journal order handle an ordering that has been missing for <see cref="JournalOptions.GapTimeout"/> while a transaction that may own
/// it is still open.
/// </summary>
public enum GapTimeoutAction
{
    /// <summary>Queries wait until the transaction has ended. No event is skipped.</summary>
    Wait,

    /// <summary>Queries continue. If the transaction commits later, they do not see its events.</summary>
    Skip,
}
