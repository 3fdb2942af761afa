namespace Throttled.Projections.Tests.Handlers;

public sealed class MergeTableTests
{
    private static readonly MergeTable<DayOfWeek> Empty = new();

    [Fact]
    public void An_enumeration_cannot_be_a_column() => Refused(
        "The column 'day' is a DayOfWeek; a column must be one of string, long, int, short, double, float, decimal, bool, Guid, DateTime, "
        + "DateTimeOffset, byte[]. Give its number or its name, as in (int)row.State or row.State.ToString().",
        () => Empty.Set("day", day => (DayOfWeek?)day));

    [Fact]
    public void A_type_that_no_database_has_cannot_be_a_column() => Refused(
        "The column 'day' is a Uri; a column must be one of string, long, int, short, double, float, decimal, bool, Guid, DateTime, "
        + "DateTimeOffset, byte[]. Give one of these.",
        () => Empty.SetUnlessNull("day", _ => (Uri?)null));

    [Fact]
    public void Text_cannot_be_added() => Refused(
        "The column 'day' is a String; a column that is added to must be one of long, int, short, double, float, decimal. Give one of these.",
        () => Empty.Add("day", day => day.ToString()));

    [Fact]
    public void Text_and_flags_cannot_be_compared()
    {
        const string Rest = " must be one of long, int, short, double, float, decimal, DateTime, DateTimeOffset. Give one of these.";
        Refused("The column 'day' is a String; a column with Max" + Rest, () => Empty.Max("day", day => day.ToString()));
        Refused("The column 'day' is a Boolean; a column with Min" + Rest, () => Empty.Min("day", day => day == 0));
    }

    [Fact]
    public void A_fraction_cannot_be_a_key() => Refused(
        "The column 'day' is a Decimal; a key must be one of string, long, int, short, bool, Guid, DateTime, DateTimeOffset, byte[]. Give one of these.",
        () => Empty.Key("day", day => (decimal)day));

    [Fact]
    public void A_key_is_never_null() => Refused(
        "The column 'day' is a key of type long?; a key is never null. Give long.", () => Empty.Key("day", day => (long?)day));

    [Fact]
    public void A_column_is_given_once() => Refused(
        "The column 'Day' is there already; give each column once.", () => Empty.Key("day", day => (long)day).Set("Day", day => (long)day));

    [Fact]
    public void A_condition_is_given_once()
    {
        Refused("DeleteWhen was called before; give one condition, joined by ||.", () => Empty.DeleteWhen(_ => true).DeleteWhen(_ => false));
        Refused("ReplaceWhen was called before; give one condition, joined by ||.", () => Empty.ReplaceWhen(_ => true).ReplaceWhen(_ => false));
    }

    [Fact]
    public void An_invalid_name_is_refused()
    {
        Refused("The name of the column is \"\"; it must be one or more whole characters without NUL. Correct it.", () => Empty.Set("", day => (long)day));
        Refused("The name of the schema is \"a\0\"; it must be one or more whole characters without NUL. Correct it.", () => Empty.Schema("a\0"));
        Refused("The name of the schema is \"\ud835\"; it must be one or more whole characters without NUL. Correct it.", () => Empty.Schema("\ud835"));
        var cut = new string('x', 64);
        Refused(
            $"The name of the schema is \"{cut}\", which has 64 bytes in UTF-8; it may have 63, because PostgreSQL cuts longer names. Take a shorter one.", () => Empty.Schema(cut));
    }

    [Theory]
    [InlineData("")]
    [InlineData("text; DROP TABLE x")]
    [InlineData("\"quoted\"")]
    [InlineData("text -- ")]
    [InlineData("text\n")]
    public void An_invalid_type_is_refused(string type) => Refused(
        $"The type of the column 'day' is '{type}'; it must be letters, digits, and _ . , ( ) [ ] between them. Give it as in jsonb or numeric(12, 2).",
        () => Empty.Key("day", day => (long)day).Cast("day", type));

    [Fact]
    public void A_cast_needs_its_column() => Refused(
        "The column 'day' is not there; call Cast after the column itself was given.", () => Empty.Cast("day", "jsonb"));

    private static void Refused(string message, Action build) => Assert.Equal(message, Assert.Throws<ArgumentException>(build).Message);
}
