using System.Data.Common;
using LinqToDB;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>
/// The settings of a read journal, set in code or bound from an <c>IConfiguration</c>. If an option is null, HOCON decides;
/// without HOCON, the default in <c>reference.conf</c> of <c>Akka.Persistence.Query.Throttled</c> applies. A value out of range
/// is refused when the options are used; the error names the HOCON setting. Not thread-safe.
/// </summary>
public sealed class ThrottledReadJournalOptions
{
    /// <summary>
    /// The last part of <see cref="PluginId"/>. A name without whitespace and without any of
    /// <c>$"{}[]:=,#`^?!@*&amp;\./</c>; <c>throttled</c> by default.
    /// </summary>
    public string Identifier { get; set; } = "throttled";

    /// <summary>The path of the journal's settings, and the id for <c>ReadJournalFor</c>.</summary>
    public string PluginId => $"akka.persistence.query.journal.{Identifier}";

    /// <summary>
    /// Whether opening the read journal fails if its HOCON section has settings that do not exist, or if a section without a
    /// class has nearly its path. Off by default: the log warns.
    /// </summary>
    public bool? Strict { get; set; }

    /// <summary>
    /// A data source that opens the connections. On PostgreSQL, an <c>NpgsqlDataSource</c>, or one that creates
    /// <c>NpgsqlConnection</c>s; on SQL Server, one that creates <c>SqlConnection</c>s of Microsoft.Data.SqlClient; not
    /// supported on SQLite. The journal does not dispose it. It wins over <see cref="ConnectionString"/>.
    /// <see cref="TableMapping"/> and <see cref="TagReadMode"/> are still those of the write plugin by default. None by
    /// default.
    /// </summary>
    public DbDataSource? DataSource { get; set; }

    /// <summary>
    /// The data sources of a sharded journal, in the order of the shards. Do not set it together with <see cref="DataSource"/>.
    /// The rules of <see cref="DataSource"/> apply to each. None by default.
    /// </summary>
    public IReadOnlyList<DbDataSource>? DataSources { get; set; }

    /// <summary>
    /// linq2db's options for the database: a named provider, and a connection string or a connection factory. Do not set it
    /// together with <see cref="DataSource"/>. It wins over <see cref="ConnectionString"/> and <see cref="ProviderName"/>. By
    /// default those of the write plugin, if it is Akka.Persistence.Sql and was given such options. Connection interceptors are
    /// called on PostgreSQL and SQL Server. Retry policy, command timeout and other interceptors are not used.
    /// </summary>
    public DataOptions? DataOptions { get; set; }

    /// <summary>
    /// The connection string, for the database's driver. By default that of the write plugin, with its <see cref="ProviderName"/>,
    /// <see cref="TableMapping"/> and <see cref="TagReadMode"/>.
    /// </summary>
    public string? ConnectionString { get; set; }

    /// <summary>
    /// The connection strings of a sharded journal, in the order of the shards; from 1 to 1,024. They replace
    /// <see cref="ConnectionString"/>. <see cref="ProviderName"/> and the tables are the same for all shards; every limit
    /// applies to each shard. By default those of a sharded write plugin.
    /// </summary>
    public IReadOnlyList<string>? Shards { get; set; }

    /// <summary>
    /// The slices of persistence ids that each shard has, as in <c>0-255</c> and <c>256-1023</c>. They must be the slices with
    /// which the journal was written. By default those of a sharded write plugin, otherwise an equal share.
    /// </summary>
    public IReadOnlyList<string>? Slices { get; set; }

    /// <summary>
    /// The kind of database: <c>PostgreSQL</c>, <c>SqlServer</c> or <c>SQLite</c>, also with a version or driver after a dot, as in
    /// <c>PostgreSQL.15</c> and <c>SqlServer.2019</c>. By default that of the <see cref="DataSource"/>, otherwise that of the write plugin.
    /// </summary>
    public string? ProviderName { get; set; }

    /// <summary>
    /// The path of the write plugin whose events are read, as in <c>akka.persistence.journal.sql</c>; it must be configured. By
    /// default the path in <c>akka.persistence.journal.plugin</c>.
    /// </summary>
    public string? WritePlugin { get; set; }

    /// <summary>
    /// The layout of the tables: that of Akka.Persistence.Sql (<see cref="TableMapping.Default"/>, the default), or of an older plugin.
    /// </summary>
    public TableMapping? TableMapping { get; set; }

    /// <summary>The schema of the tables. By default that of the layout; if it is empty, the connection decides.</summary>
    public string? SchemaName { get; set; }

    /// <summary>The name of the journal's table. By default that of the layout. Set column names in HOCON.</summary>
    public string? JournalTableName { get; set; }

    /// <summary>The name of the table of tags. By default that of the layout.</summary>
    public string? TagTableName { get; set; }

    /// <summary>Where the tags are stored; by default <see cref="TagMode.TagTable"/>, in a separate table.</summary>
    public TagMode? TagReadMode { get; set; }

    /// <summary>The character before and after each tag in a column; exactly one, <c>;</c> by default.</summary>
    public string? TagSeparator { get; set; }

    /// <summary>
    /// Statements that may run on the database at once, over all queries of this journal: the permits of its throttler. At
    /// least 1; 100 by default. The database sets an upper limit: somewhat less than half of the connections that PostgreSQL or
    /// SQL Server allows, or the number of the machine's cores on SQLite.
    /// </summary>
    public int? MaxConcurrentQueries { get; set; }

    /// <summary>Statements that may start per second, over all queries of this journal. From 0 to 1,000,000; 0, the default, is no limit.</summary>
    public int? MaxQueriesPerSecond { get; set; }

    /// <summary>Statements that may start at once after a pause, if <see cref="MaxQueriesPerSecond"/> sets a limit. At least 1; 100 by default.</summary>
    public int? Burst { get; set; }

    /// <summary>Rows that one query reads at a time, and holds at most. From 1 to 100,000; 500 by default.</summary>
    public int? MaxBufferSize { get; set; }

    /// <summary>Waiting queries that one statement reads for, at most. From 1 to 10,000; 100 by default.</summary>
    public int? MaxQueriesPerStatement { get; set; }

    /// <summary>Rows that one statement reads, at most. At least 1; 10,000 by default.</summary>
    public int? MaxRowsPerStatement { get; set; }

    /// <summary>
    /// Bytes of rows held in memory over all queries of this journal. At least 1; 64 MiB by default. At the limit, reading
    /// pauses; nothing is lost.
    /// </summary>
    public long? MaxBufferedBytes { get; set; }

    /// <summary>
    /// The largest payload that is read, in bytes. At least 1; by default there is no limit. A larger payload stays in the
    /// database, and its event is handled as <see cref="OnUndecodableEvent"/> says.
    /// </summary>
    public int? MaxPayloadBytes { get; set; }

    /// <summary>
    /// If a query waits longer than this for a permit, the log warns and the health check is Degraded. The query goes on waiting.
    /// From 1 s to 1 day; 30 s by default.
    /// </summary>
    public TimeSpan? QueryThrottleWarning { get; set; }

    /// <summary>The interval between polls for new events while there are none. From 1 ms to 1 h; 200 ms by default.</summary>
    public TimeSpan? RefreshInterval { get; set; }

    /// <summary>
    /// The shortest interval between polls while there are new events. From 0 to 1 h; a value above
    /// <see cref="RefreshInterval"/> counts as that interval. 5 ms by default.
    /// </summary>
    public TimeSpan? MinPollInterval { get; set; }

    /// <summary>
    /// How many events the poll may be behind before it jumps to the end of the journal and its queries read pages instead. At least 1; 50,000 by default.
    /// </summary>
    public int? TailMaxLag { get; set; }

    /// <summary>
    /// Whether PostgreSQL announces new events by NOTIFY, which needs a trigger. Off by default; must be off on other
    /// databases.
    /// </summary>
    public bool? Notify { get; set; }

    /// <summary>
    /// How long queries wait for a missing ordering if the database cannot tell whether it may still be committed. If the
    /// high-water mark is stalled for longer, the health check is Degraded. From 1 s to 1 h; 10 s by default.
    /// </summary>
    public TimeSpan? GapTimeout { get; set; }

    /// <summary>
    /// SQL Server: how long queries wait for a missing ordering although the server's locks show that no transaction may commit
    /// it any more. After the first query, queries also wait this long for what was open then. From 0 to
    /// <see cref="GapTimeout"/>; by default 10 s, or <see cref="GapTimeout"/> if that is shorter. 0 trusts the locks alone;
    /// before you set 0, run the experiments of decision 23 on your server. Other databases do not use it.
    /// </summary>
    public TimeSpan? GapMinAge { get; set; }

    /// <summary>
    /// What queries in journal order do if an ordering is missing for <see cref="GapTimeout"/> while a transaction that may own
    /// it is open. <see cref="GapTimeoutAction.Wait"/>, the default, waits; <see cref="GapTimeoutAction.Skip"/> goes on and may
    /// skip the event.
    /// </summary>
    public GapTimeoutAction? OnGapTimeout { get; set; }

    /// <summary>
    /// Whether queries in journal order also read from a PostgreSQL sequence with CACHE above 1. Its sessions draw orderings in
    /// advance, so a stored offset may skip events. Off by default: these queries fail.
    /// </summary>
    public bool? AllowCachedSequence { get; set; }

    /// <summary>
    /// The database ends a statement that runs longer than this; the reader then repeats it in halves. From 1 s to 1 h; 30 s by
    /// default.
    /// </summary>
    public TimeSpan? StatementTimeout { get; set; }

    /// <summary>
    /// How long a statement is repeated after an error that repeating does not cure, if the database has worked before. The
    /// cause of these errors may be a failover. From 0 to 1 h; 60 s by default.
    /// </summary>
    public TimeSpan? FatalErrorGracePeriod { get; set; }

    /// <summary>
    /// How long a current query waits for a database that is down before it fails. At least 1 s;
    /// <see cref="Timeout.InfiniteTimeSpan"/>, the default, means no limit. Live queries always wait.
    /// </summary>
    public TimeSpan? CurrentQueryTimeout { get; set; }

    /// <summary>Whether queries fail if the journal table is missing. Off by default: they wait for it, with one warning.</summary>
    public bool? RequireTable { get; set; }

    /// <summary>
    /// Whether statements are prepared, once per connection. On by default. Turn it off if a pooler loses prepared statements.
    /// If the reader detects a pooler, it prepares no statements, whatever this says. No effect on SQL Server.
    /// </summary>
    public bool? PrepareStatements { get; set; }

    /// <summary>
    /// What to do with an event that cannot be decoded, or is larger than <see cref="MaxPayloadBytes"/>; by default the query
    /// fails (<see cref="UndecodableEventAction.Fail"/>).
    /// </summary>
    public UndecodableEventAction? OnUndecodableEvent { get; set; }

    /// <summary>
    /// The serializer for rows without a serializer id, by its name in <c>akka.actor.serializers</c>. By default that of
    /// <see cref="object"/>.
    /// </summary>
    public string? Serializer { get; set; }

    /// <summary>
    /// How the older PostgreSQL plugin stored payloads without a serializer id; <see cref="StoredAs.Bytea"/> by default.
    /// </summary>
    public StoredAs? StoredAs { get; set; }
}

/// <summary>How the older PostgreSQL plugin stored payloads without a serializer id: the values of <c>stored-as</c>.</summary>
public enum StoredAs
{
    /// <summary>As bytes.</summary>
    Bytea,

    /// <summary>As JSON.</summary>
    Json,

    /// <summary>As binary JSON.</summary>
    Jsonb,
}

/// <summary>The layout of a journal's tables: the values of <c>table-mapping</c>.</summary>
public enum TableMapping
{
    /// <summary>The layout of Akka.Persistence.Sql.</summary>
    Default,

    /// <summary>The layout of Akka.Persistence.Sqlite.</summary>
    Sqlite,

    /// <summary>The layout of Akka.Persistence.PostgreSql.</summary>
    PostgreSql,

    /// <summary>The layout of Akka.Persistence.SqlServer.</summary>
    SqlServer,

    /// <summary>The layout of Akka.Persistence.MySql, for tables that were moved to a supported database.</summary>
    MySql,
}
