namespace Throttled.Tool.Tests.Reshard;

public sealed class CommandTests
{
    public static TheoryData<string, string> Refused { get; } = new()
    {
        { "", "Required command was not provided." },
        { "split", "'split' is not known here. See --help." },
        { "copy", "--database is missing; it must be sqlite or postgres." },
        { "copy --database oracle", "--database is 'oracle'; it must be sqlite or postgres." },
        { "copy --database sqlite", "--from is given 0 times; it must be given once for the connection string of the journal" },
        { "copy --database sqlite --from Data_Source=a", "--to is given 0 times" },
        { "copy --database sqlite --from x --to y", "--from number 0 cannot be used: " },
        { "copy --database sqlite --from Host=x;Database=y --to y", "Did you mean --database postgres?" },
        { "copy --database postgres --from Datasource=x --to y", "Did you mean --database sqlite?" },
        { "copy --database postgres --from Database=a --to y", "--from number 0 cannot be used: The connection string has no 'Host'" },
        { "copy --database sqlite --from a --to b --slices 0-511,512-1023", "--to is given once, but --slices is '0-511,512-1023', which names 2 shards" },
        { "copy --database sqlite --from a --to b --slices 0-511", "slice 512 is in no shard" },
        { "copy --database sqlite --from a --to b --slices x", "--slices is 'x': " },
        { "copy --database sqlite --from a --to b --layout oracle", "--layout is 'oracle'; it must be default, sqlite, postgresql, sql-server or mysql." },
        { "copy --database sqlite --from a --to b --tag-mode both", "--tag-mode is 'both'; it must be table or csv." },
        { "copy --database sqlite --from a --to b --schema s", "--schema is 's', and SQLite has no schemas." },
        { "plan --database sqlite --from Data_Source=a", "--to, --slices and --shards are missing; give one of them" },
        { "plan --database sqlite --from a --to b --shards 2", "--to is given once, but --slices is '0-511,512-1023', which names 2 shards" },
        { "mark --database sqlite", "--on is missing" },
        { "mark --database sqlite --on a", "--slices and --shards are missing" },
        { "mark --database sqlite --on a --shards 0", "--shards is '0'; it must be a whole number from 1 to 1024." },
        { "mark --database sqlite --on a --shards 2 --slices 0-1023", "--slices and --shards exclude each other" },
        { "mark --database sqlite --on a --shards 2 --shard 2", "--shard is '2'; it must be a whole number from 0 to 1." },
        { "offset 12", "--slices and --shards are missing" },
        { "offset -1 --shards 2", "'-1'" },
        { "offset x --shards 2", "The offset is 'x'; it must be an ordering, such as 1042" },
        { "offset 0-511:3,512-1023:9 --shards 3", "has events of several shards of the position" },
    };

    [Theory]
    [MemberData(nameof(Refused))]
    public async Task What_cannot_be_used_is_refused_with_a_reason(string line, string reason)
    {
        var run = await new ToolRun(line.Split(' ', StringSplitOptions.RemoveEmptyEntries)).EndsWithAsync(2);

        Assert.StartsWith("error: ", run.Errors);
        Assert.Contains(reason, run.Errors);
    }

    [Theory]
    [InlineData("offset 1042 --shards 2", "0-511:1042,512-1023:1042")]
    [InlineData("offset 0 --slices 0-99,100-1023", "0-99:0,100-1023:0")]
    [InlineData("offset 0-511:3,512-1023:9 --shards 4", "0-255:3,256-511:3,512-767:9,768-1023:9")]
    public async Task An_offset_is_carried_over(string line, string becomes)
    {
        var run = await new ToolRun(line.Split(' ')).EndsWithAsync(0);

        Assert.Equal(becomes, run.Output.Trim());
    }

    [Fact]
    public async Task An_offset_is_printed_as_json_too()
    {
        var run = await new ToolRun(["offset", "1042", "--shards", "2", "--json"]).EndsWithAsync(0);

        Assert.Equal("""{"offset":"0-511:1042,512-1023:1042"}""", string.Concat(run.Output.Where(each => !char.IsWhiteSpace(each))));
    }

    [Fact]
    public async Task A_file_that_is_not_there_is_no_journal()
    {
        var run = await new ToolRun(["copy", "--database", "sqlite", "--from", "Data Source=not-there.db", "--to", "Data Source=never.db"]).EndsWithAsync(2);

        Assert.Contains("not-there.db", run.Errors);
        Assert.False(File.Exists("not-there.db"));
        Assert.False(File.Exists("never.db"));
    }
}
