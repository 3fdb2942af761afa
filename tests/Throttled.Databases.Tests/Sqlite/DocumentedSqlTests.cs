using Microsoft.Data.Sqlite;

namespace Throttled.Journal.Sqlite.Tests;

/// <summary>The SQL of the pages runs.</summary>
public sealed class DocumentedSqlTests
{
    [Fact]
    public async Task The_statements_that_prepare_a_file_run()
    {
        await using var file = new JournalFile();
        await file.CreateAsync();
        file.Execute("DROP INDEX tags_tag_ordering_idx");
        await using var connection = new SqliteConnection(file.ConnectionString);
        await connection.OpenAsync();
        await using var command = connection.CreateCommand();
        command.CommandText = "PRAGMA journal_mode = WAL; " + await File.ReadAllTextAsync(Path.Combine(WorkingCopy.Root, "docs", "sql", "index-sqlite.sql"));
        await command.ExecuteNonQueryAsync();
        command.CommandText = "SELECT count(*) FROM pragma_index_list('tags') WHERE name = 'tags_tag_ordering_idx'";
        Assert.Equal(1L, await command.ExecuteScalarAsync());
    }
}
