using System.CommandLine;
using Throttled.Tool.CommandLine;
using Throttled.Tool.Tail;

namespace Throttled.Tool.Tests.Tail;

public sealed class TailReadingTests
{
    [Theory]
    [InlineData("--all", "--all")]
    [InlineData("--tag blue", "--tag blue")]
    [InlineData("--id account-1", "--id account-1")]
    [InlineData("--slices 0-1023", "--slices 0-1023")]
    [InlineData("--ids", "--ids")]
    public void What_is_read_goes_by_the_words_of_the_command_line(string given, string selection) =>
        Assert.Equal(selection, Read(given).Selection.ToString());

    [Theory]
    [InlineData("", "exactly one of --all, --tag, --id, --slices, --ids")]
    [InlineData("--all --tag blue", "--all and --tag exclude each other")]
    [InlineData("--slices 3-1", "--slices is '3-1'; it must be two slices from 0 to 1023")]
    [InlineData("--slices 0-1024", "--slices is '0-1024'")]
    [InlineData("--slices 7", "--slices is '7'")]
    [InlineData("--tag a;b --layout sqlite", "--tag is 'a;b'")]
    [InlineData("--all --layout oracle", "--layout is 'oracle'; it must be default, sqlite, postgresql, sql-server or mysql.")]
    [InlineData("--all --tag-mode both", "--tag-mode is 'both'; it must be table or csv.")]
    [InlineData("--all --schema dbo", "--schema is 'dbo', and SQLite has no schemas.")]
    [InlineData("--ids --after 3", "--after is 3, and --ids has no positions")]
    [InlineData("--ids --resume at", "--resume is 'at', and --ids has no positions")]
    public void What_does_not_fit_is_refused_with_its_name_value_and_remedy(string given, string says) =>
        Assert.Contains(says, Assert.Throws<CommandException>(() => Read(given)).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("--after -1")]
    [InlineData("--after x")]
    [InlineData("--after 9223372036854775807")]
    [InlineData("--limit 0")]
    public void A_number_out_of_its_range_is_no_command_line(string given)
    {
        var words = given.Split(' ');

        var error = Assert.Single(Parse($"--all {given}").Errors);

        Assert.StartsWith($"{words[0]} is '{words[1]}'; it must be a whole number from", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("sqlite", "event_journal", "is_deleted", TagMode.Csv)]
    [InlineData("sql-server", "EventJournal", "IsDeleted", TagMode.Csv)]
    [InlineData("default", "journal", "deleted", TagMode.TagTable)]
    public void A_layout_names_tables_and_columns(string layout, string table, string deleted, TagMode mode)
    {
        var tables = Read($"--all --layout {layout}").Tables;

        Assert.Equal((null, table, deleted, mode), (tables.Schema, tables.JournalTable, tables.DeletedColumn, tables.TagMode));
    }

    [Fact]
    public void What_differs_from_a_layout_is_named_beside_it()
    {
        var tables = Read("--all --layout sqlite --tag-mode table --journal-table orders --tag-table order_tags").Tables;

        Assert.Equal(JournalTables.Sqlite with { TagMode = TagMode.TagTable, JournalTable = "orders", TagTable = "order_tags" }, tables);
    }

    private static TailSettings Read(string given) => TailReading.Read(Parse(given));

    private static ParseResult Parse(string given) => TailCommand.Create().Parse(
        ["--database", "sqlite", "--connection", "Data Source=journal.db", .. given.Split(' ', StringSplitOptions.RemoveEmptyEntries)]);
}
