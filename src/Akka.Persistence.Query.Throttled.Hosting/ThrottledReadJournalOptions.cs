using System.Data.Common;
using LinqToDB;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>
/// The settings of a read journal, set in code or bound from an <c>IConfiguration</c>. What stays null is as it would be without these
/// options: as HOCON says it, and as <c>reference.conf</c> of <c>Akka.Persistence.Query.Throttled</c> has it by default. A value that is out
/// of its range is refused when the options are used, with the name and in the words of the HOCON setting. Not thread-safe.
/// </summary>
public sealed class ThrottledReadJournalOptions
{
    /// <summary>
    /// What the read journal is called: the last part of <see cref="PluginId"/>. A name without whitespace and without any of
    /// <c>$"{}[]:=,#`^?!@*&amp;\./</c>; <c>throttled</c> by default.
    /// </summary>
    public string Identifier { get; set; } = "throttled";

    /// <summary>The path of its settings, and the id to ask <c>ReadJournalFor</c> for.</summary>
    public string PluginId => $"akka.persistence.query.journal.{Identifier}";

    /// <summary>
    /// Where connections come from: on PostgreSQL, an <c>NpgsqlDataSource</c>, or one that makes <c>NpgsqlConnection</c>s; on SQL Server, one that makes
    /// <c>SqlConnection</c>s of Microsoft.Data.SqlClient; SQLite takes none. It is not disposed, and goes before <see cref="ConnectionString"/>. <see cref="TableMapping"/> and <see cref="TagReadMode"/> are still those of the write plugin by default. None
    /// by default.
    /// </summary>
    public DbDataSource? DataSource { get; set; }

    /// <summary>
    /// Where the connections to each shard of a sharded journal come from, in the order of the shards; not beside <see cref="DataSource"/>, and otherwise as
    /// that. None by default.
    /// </summary>
    public IReadOnlyList<DbDataSource>? DataSources { get; set; }

    /// <summary>
    /// Where the journal is, as linq2db has it: a provider that it names, and a connection string or a connection factory. Not beside <see cref="DataSource"/>; goes before <see cref="ConnectionString"/> and
    /// <see cref="ProviderName"/>. By default those of the write plugin, where it is Akka.Persistence.Sql and connects by them. Connection interceptors are called on PostgreSQL and SQL Server;
    /// what else the options say, of retries, time-outs and commands, does not hold here.
    /// </summary>
    public DataOptions? DataOptions { get; set; }

    /// <summary>
    /// The database, as its driver has it. By default that of the write plugin, with its <see cref="ProviderName"/>,
    /// <see cref="TableMapping"/> and <see cref="TagReadMode"/>.
    /// </summary>
    public string? ConnectionString { get; set; }

    /// <summary>
    /// The databases of a journal that is divided among several, as their driver has them, in the order of the shards; from 1 to 1,024, in the place of
    /// <see cref="ConnectionString"/>. <see cref="ProviderName"/> and the tables are common to all, and every limit holds for each. By default those of a
    /// write plugin that is sharded.
    /// </summary>
    public IReadOnlyList<string>? Shards { get; set; }

    /// <summary>
    /// The slices of persistence ids that each shard has, as in <c>0-255</c> and <c>256-1023</c>: those with which the journal was written. By default those
    /// of a write plugin that is sharded, and otherwise an equal share for each.
    /// </summary>
    public IReadOnlyList<string>? Slices { get; set; }

    /// <summary>
    /// What the database is: <c>PostgreSQL</c>, <c>SqlServer</c> or <c>SQLite</c>, also with a version or driver behind a dot, as in
    /// <c>PostgreSQL.15</c> and <c>SqlServer.2019</c>. By default what a <see cref="DataSource"/> leads to, and otherwise what the write plugin has.
    /// </summary>
    public string? ProviderName { get; set; }

    /// <summary>
    /// The path of the write plugin whose events are read, as in <c>akka.persistence.journal.sql</c>; it must be configured. By default the
    /// one that <c>akka.persistence.journal.plugin</c> names.
    /// </summary>
    public string? WritePlugin { get; set; }

    /// <summary>
    /// Which layout the tables have: that of Akka.Persistence.Sql (<see cref="TableMapping.Default"/>, the default), or of one of the older plugins.
    /// </summary>
    public TableMapping? TableMapping { get; set; }

    /// <summary>The schema of the tables. By default that of the layout; empty leaves it to the connection.</summary>
    public string? SchemaName { get; set; }

    /// <summary>The name of the journal's table. By default that of the layout. Columns are named in HOCON.</summary>
    public string? JournalTableName { get; set; }

    /// <summary>The name of the table of tags. By default that of the layout.</summary>
    public string? TagTableName { get; set; }

    /// <summary>Where the tags stand; by default <see cref="TagMode.TagTable"/>, in a table of their own.</summary>
    public TagMode? TagReadMode { get; set; }

    /// <summary>What stands around each tag of a column: one character; <c>;</c> by default.</summary>
    public string? TagSeparator { get; set; }

    /// <summary>
    /// Statements that may run on the database at once, over all queries of this journal: the permits of its throttler. At least 1; 100 by
    /// default. What the database can take is a ceiling: half of the connections that PostgreSQL or SQL Server takes, the machine's cores on SQLite.
    /// </summary>
    public int? MaxConcurrentQueries { get; set; }

    /// <summary>Statements that may be started in a second, over all queries of this journal. From 0 to 1,000,000; 0, the default, sets no rate.</summary>
    public int? MaxQueriesPerSecond { get; set; }

    /// <summary>Statements that may start at once after a pause, where <see cref="MaxQueriesPerSecond"/> sets a rate. At least 1; 100 by default.</summary>
    public int? Burst { get; set; }

    /// <summary>Rows that one query reads at a time, and holds at most. From 1 to 100,000; 500 by default.</summary>
    public int? MaxBufferSize { get; set; }

    /// <summary>Waiting queries that one statement reads for. From 1 to 10,000; 100 by default.</summary>
    public int? MaxQueriesPerStatement { get; set; }

    /// <summary>Rows that one statement reads at most. At least 1; 10,000 by default.</summary>
    public int? MaxRowsPerStatement { get; set; }

    /// <summary>
    /// Bytes of rows held in memory over all queries of this journal. At least 1; 64 MiB by default. At the bound reading pauses; nothing is
    /// lost.
    /// </summary>
    public long? MaxBufferedBytes { get; set; }

    /// <summary>
    /// The largest payload that is read, in bytes. At least 1; by default there is no limit. What an event does that is above it,
    /// <see cref="OnUndecodableEvent"/> says; its payload stays in the database.
    /// </summary>
    public int? MaxPayloadBytes { get; set; }

    /// <summary>
    /// A query that waits longer than this for its turn is told of in the log, and makes the health check say Degraded; it goes on waiting.
    /// From 1 s to 1 day; 30 s by default.
    /// </summary>
    public TimeSpan? QueryThrottleWarning { get; set; }

    /// <summary>How often the journal is looked at for new events while there are none. From 1 ms to 1 h; 200 ms by default.</summary>
    public TimeSpan? RefreshInterval { get; set; }

    /// <summary>
    /// The least time between two looks while there are new events. From 0 to 1 h, and no more than <see cref="RefreshInterval"/> is used;
    /// 10 ms by default.
    /// </summary>
    public TimeSpan? TailMinInterval { get; set; }

    /// <summary>
    /// Events by which that look may be behind before it jumps to the end and lets its queries read pages. At least 1; 50,000 by default.
    /// </summary>
    public int? TailMaxLag { get; set; }

    /// <summary>
    /// Whether PostgreSQL tells of new events by NOTIFY, for which a trigger must be installed. Off by default; the others cannot.
    /// </summary>
    public bool? Notify { get; set; }

    /// <summary>
    /// How long a missing ordering is waited for where the database cannot tell whether it may still be committed. A head that is kept back
    /// longer makes the health check say Degraded. From 1 s to 1 h; 10 s by default.
    /// </summary>
    public TimeSpan? GapTimeout { get; set; }

    /// <summary>
    /// What queries in journal order do at an ordering that is missing for <see cref="GapTimeout"/> while a transaction that may own it is
    /// open: <see cref="StalledHead.Wait"/> (the default), or <see cref="StalledHead.GiveUp"/>, which may skip its event.
    /// </summary>
    public StalledHead? OnStalledHead { get; set; }

    /// <summary>
    /// Whether to read in journal order although sessions draw orderings in advance (a PostgreSQL sequence with CACHE above 1), so that a
    /// stored offset may skip events. Off by default: such queries fail.
    /// </summary>
    public bool? AllowCachedSequence { get; set; }

    /// <summary>A statement that runs longer is ended by the database and tried again in halves. From 1 s to 1 h; 30 s by default.</summary>
    public TimeSpan? StatementTimeout { get; set; }

    /// <summary>
    /// How long an error that repeating does not cure is repeated all the same once the database has worked, because failovers pass through
    /// such states. From 0 to 1 h; 60 s by default.
    /// </summary>
    public TimeSpan? FatalGrace { get; set; }

    /// <summary>
    /// How long a current query waits while the database is away before it fails. At least 1 s; <see cref="Timeout.InfiniteTimeSpan"/>, the
    /// default, is for ever. Live queries always wait.
    /// </summary>
    public TimeSpan? CurrentQueryTimeout { get; set; }

    /// <summary>Whether queries fail where the journal table is missing. Off by default: they wait for it, with one warning.</summary>
    public bool? RequireTable { get; set; }

    /// <summary>Whether statements are prepared, once per connection. On by default; turn it off behind a pooler of transactions or statements.</summary>
    public bool? Prepare { get; set; }

    /// <summary>
    /// What an event does that cannot be decoded, or is above <see cref="MaxPayloadBytes"/>; by default it fails its query (<see cref="UndecodableEventAction.Fail"/>).
    /// </summary>
    public UndecodableEventAction? OnUndecodableEvent { get; set; }

    /// <summary>
    /// The serializer, by its name in <c>akka.actor.serializers</c>, of rows that have no serializer id. By default that of
    /// <see cref="object"/>.
    /// </summary>
    public string? Serializer { get; set; }

    /// <summary>
    /// How the older PostgreSQL plugin stored payloads that have no serializer id; <see cref="StoredAs.Bytea"/> by default.
    /// </summary>
    public StoredAs? StoredAs { get; set; }
}
