namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>A copy of a journal's rows for Babelfish, which has no backups. It shows how a restore changes rows and orderings.</summary>
internal sealed class TableCopy(JournalUnderTest journal)
{
    internal async Task<Func<Task>> TakeAsync()
    {
        await journal.ExecuteAsync($"SELECT * INTO journal_copy FROM {journal.Table}");
        if (journal.Tables.TagMode == TagMode.TagTable)
            await journal.ExecuteAsync($"SELECT * INTO tags_copy FROM {journal.TagTable}");
        return PutBackAsync;
    }

    private async Task PutBackAsync()
    {
        var tables = journal.Tables;
        var columns = string.Join(", ", tables.WrittenColumns().Prepend(tables.OrderingColumn).Select(journal.Quote));
        await using var transaction = await journal.BeginAsync();
        await transaction.RunAsync(
            $"TRUNCATE TABLE {journal.Table}; SET IDENTITY_INSERT {journal.Table} ON; "
            + $"INSERT INTO {journal.Table} ({columns}) SELECT {columns} FROM journal_copy; SET IDENTITY_INSERT {journal.Table} OFF");
        if (tables.TagMode == TagMode.TagTable)
            await transaction.RunAsync($"DELETE FROM {journal.TagTable}; INSERT INTO {journal.TagTable} SELECT * FROM tags_copy");
        await transaction.CommitAsync();
    }
}
