using Throttled.Journal.Relational;

namespace Throttled.Journal.Tests.Relational;

public sealed class MissingColumnTests
{
    private static readonly JournalTables Tables = new() { OrderingColumn = "nr", TagOrderingColumn = "nr", Schema = "app" };

    [Theory]
    [InlineData("column \"nr\" does not exist")]
    [InlineData("column e.nr does not exist")]
    [InlineData("Spalte »nr« existiert nicht")]
    [InlineData("column \"nr\" of relation \"message\" does not exist")]
    [InlineData("SQLite Error 1: 'no such column: \"nr\" - should this be a string literal in single-quotes?'.")]
    [InlineData("SQLite Error 1: 'no such column: nr'.")]
    public void The_setting_is_found_in_the_message_of_the_database(string message) => Assert.Equal(
        "'OrderingColumn' is nr, which is not a column of app.journal; it must be one. Correct 'OrderingColumn'.",
        OfJournal(Tables, message)!.Message);

    [Fact]
    public void A_name_within_another_name_does_not_match() => Assert.Contains(
        "'ManifestColumn' is nr_2", OfJournal(Tables with { ManifestColumn = "nr_2" }, "column nr_2 does not exist")!.Message, StringComparison.Ordinal);

    [Fact]
    public void A_missing_tag_column_is_explained_by_the_tag_mode() => Assert.Equal(
        "'TagMode' is Csv and 'TagsColumn' is labels, which is not a column of app.journal; it must be the column with the tags. Correct 'TagsColumn', or "
            + "set 'TagMode' to TagTable if the tags are in a table of their own.",
        OfJournal(Tables with { TagMode = TagMode.Csv, TagsColumn = "labels" }, "column \"labels\" does not exist")!.Message);

    [Fact]
    public void Columns_of_the_tag_table_are_searched_there() => Assert.StartsWith(
        "'TagOrderingColumn' is nr, which is not a column of app.tags",
        MissingColumnException.OfTagTable(Tables, new Plain(), "column \"nr\" does not exist", new InvalidOperationException())!.Message,
        StringComparison.Ordinal);

    [Fact]
    public void A_column_that_is_not_configured_is_not_explained() => Assert.Null(OfJournal(Tables, "column \"else\" does not exist"));

    private static MissingColumnException? OfJournal(JournalTables tables, string message) =>
        MissingColumnException.OfJournal(tables, new Plain(), message, new InvalidOperationException());

    private sealed class Plain : SqlDialect
    {
        internal override string Quote(string identifier) => identifier;

        internal override string Table(string? schema, string table) => $"{schema}.{table}";

        internal override string Parameter(int number) => "?";

        internal override string Limit(string count) => count;
    }
}
