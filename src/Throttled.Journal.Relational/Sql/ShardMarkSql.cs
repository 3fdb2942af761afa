namespace Throttled.Journal.Relational;

/// <summary>The statements about the mark of a shard.</summary>
/// <param name="dialect">How the database spells them.</param>
/// <param name="tables">The journal's tables.</param>
internal sealed class ShardMarkSql(SqlDialect dialect, JournalTables tables)
{
    private readonly JournalSql _journal = new(dialect, tables);

    /// <summary>The table, quoted.</summary>
    internal string Table { get; } = dialect.Table(tables.Schema, ShardMark.Table);

    /// <summary>The journal table, quoted.</summary>
    internal string Journal => _journal.Journal;

    internal string Create => dialect.CreateTable(
        Table,
        $"{ShardMark.JournalColumn} {dialect.ShortText} NOT NULL PRIMARY KEY, "
            + $"{ShardMark.ShardColumn} INTEGER NOT NULL, {ShardMark.MapColumn} {dialect.LongText} NOT NULL");

    /// <summary>Shard and map. Parameter: journal table.</summary>
    internal string Read =>
        $"SELECT {ShardMark.ShardColumn}, {ShardMark.MapColumn} FROM {Table} WHERE {ShardMark.JournalColumn} = {dialect.Parameter(1)}";

    /// <summary>Parameters: journal table, shard, map.</summary>
    internal string Write =>
        $"INSERT INTO {Table} ({ShardMark.JournalColumn}, {ShardMark.ShardColumn}, {ShardMark.MapColumn}) "
        + $"VALUES ({dialect.Parameter(1)}, {dialect.Parameter(2)}, {dialect.Parameter(3)})";

    /// <summary>One row where the journal has events, none where it is empty.</summary>
    internal string AnyEvent => $"SELECT 1 {_journal.FromJournal} ORDER BY {_journal.Ordering} {dialect.Limit("1")}";
}
