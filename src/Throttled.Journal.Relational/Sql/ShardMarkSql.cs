namespace Throttled.Journal.Relational;

/// <summary>The statements that create, read and write the mark of a shard.</summary>
internal sealed class ShardMarkSql(SqlDialect dialect, JournalTables tables)
{
    private readonly JournalSql _journal = new(dialect, tables);

    /// <summary>The table of marks, quoted.</summary>
    internal string Table { get; } = dialect.Table(tables.Schema, ShardMark.Table);

    /// <summary>The journal table, quoted.</summary>
    internal string Journal => _journal.Journal;

    internal string Create => dialect.CreateTable(
        Table,
        $"{ShardMark.JournalColumn} {dialect.ShortText} NOT NULL PRIMARY KEY, "
            + $"{ShardMark.ShardColumn} INTEGER NOT NULL, {ShardMark.MapColumn} {dialect.LongText} NOT NULL");

    /// <summary>Reads the shard and the map. Parameter: the journal table.</summary>
    internal string Read => $"SELECT {ShardMark.ShardColumn}, {ShardMark.MapColumn} FROM {Table} WHERE {ShardMark.JournalColumn} = {dialect.Parameter(1)}";

    /// <summary>Parameters: the journal table, the shard, the map.</summary>
    internal string Write =>
        $"INSERT INTO {Table} ({ShardMark.JournalColumn}, {ShardMark.ShardColumn}, {ShardMark.MapColumn}) "
        + $"VALUES ({dialect.Parameter(1)}, {dialect.Parameter(2)}, {dialect.Parameter(3)})";

    /// <summary>Returns one row if the journal has events, and none if it is empty.</summary>
    internal string AnyEvent => $"SELECT 1 {_journal.FromJournal} ORDER BY {_journal.Ordering} {dialect.Limit("1")}";
}
