namespace Throttled.Tool.Tests.Reshard;

public sealed class SpellingTests(SqliteReshardHost host) : IClassFixture<SqliteReshardHost>
{
    [Fact]
    public async Task A_file_is_the_same_by_whichever_path_it_is_named()
    {
        var one = host.NewDatabase();
        await History.WriteAsync(host, one, JournalTables.Default, rounds: 1);
        var file = one["Data Source=".Length..];
        var (directory, name) = (Path.GetDirectoryName(file)!, Path.GetFileName(file));
        var link = File.CreateSymbolicLink($"{file}.link", file).FullName;
        var folder = Directory.CreateSymbolicLink(Path.Combine(directory, "folder"), directory).FullName;

        foreach (var spelling in (string[])[Path.GetRelativePath(".", file), Path.Combine(directory, ".", name), $"file:{file}", link, Path.Combine(folder, name)])
        {
            var run = await host.Tool("copy", [one], [host.NewDatabase(), $"Data Source={spelling}"]).EndsWithAsync(2);
            Assert.Contains("are the same database", run.Errors);
        }
    }
}
