using System.Text.Json;
using Throttled.Projections.Databases;

namespace Throttled.Projections.Tests.Databases;

/// <summary>The rows that SQL Server reads with OPENJSON.</summary>
public sealed class JsonRowsTests
{
    [Fact]
    public void A_row_is_an_array_and_a_column_is_a_place_in_it() =>
        Assert.Equal("[[1,\"a\",true],[2,null,false]]", JsonRows.Of(new(("lane", new[] { 1, 2 }), ("owner", new[] { "a", null }), ("flag", new[] { true, false }))));

    [Theory]
    [InlineData("")]
    [InlineData("a\"b\\c/d")]
    [InlineData("\0\u0001\t\r\n\u001f ")]
    [InlineData("é漢𝒳\u2028</script>'")]
    public void Texts_come_back(string text) => Assert.Equal(text, Read(new[] { text }).GetString());

    // SQL Server stores any code unit. A reader of UTF-8, as in .NET, would refuse it.
    [Fact]
    public void Half_of_a_surrogate_pair_is_sent_as_it_is() => Assert.Equal("[[\"\ud83d\"]]", JsonRows.Of(new(("text", new[] { "\ud83d" }))));

    [Fact]
    public void Whole_numbers_come_back()
    {
        Assert.Equal("[[-9223372036854775808],[9223372036854775807]]", JsonRows.Of(new(("n", new[] { long.MinValue, long.MaxValue }))));
        Assert.Equal("[[-2147483648],[null]]", JsonRows.Of(new(("n", new int?[] { int.MinValue, null }))));
        Assert.Equal("[[-32768],[null]]", JsonRows.Of(new(("n", new short?[] { short.MinValue, null }))));
    }

    [Theory]
    [InlineData(double.MaxValue)]
    [InlineData(-0.1)]
    [InlineData(1d / 3)]
    [InlineData(2.2250738585072014E-308)]
    [InlineData(0)]
    public void Doubles_come_back_exactly(double value)
    {
        Assert.Equal(value, Read(new[] { value }).GetDouble());
        Assert.Equal(value, Read(new double?[] { value }).GetDouble());
    }

    [Fact]
    public void Floats_come_back_exactly() => Assert.Equal([float.MaxValue, -0.1f, 1f / 3], JsonSerializer.Deserialize<float[][]>(
        JsonRows.Of(new(("f", new[] { float.MaxValue, -0.1f, 1f / 3 }))))!.Select(row => row[0]));

    // SQL Server has no such number, and its error would not name the value.
    [Fact]
    public void A_number_that_is_too_close_to_0_is_0() => Assert.Equal("[[0,0]]", JsonRows.Of(new(("d", new[] { double.Epsilon }), ("f", new[] { float.Epsilon }))));

    [Theory]
    [InlineData(double.NaN)]
    [InlineData(double.NegativeInfinity)]
    public void A_number_that_is_not_finite_is_refused(double value)
    {
        var error = Assert.Throws<InvalidOperationException>(() => JsonRows.Of(new(("d", new[] { value }))));
        Assert.Equal(FormattableString.Invariant($"A value is {value}; SQL Server stores no infinity and no NaN. Give null instead."), error.Message);
        Assert.Throws<InvalidOperationException>(() => JsonRows.Of(new(("d", new[] { (float)value }))));
    }

    [Fact]
    public void Decimals_have_all_their_digits_and_no_exponent() => Assert.Equal(
        "[[79228162514264337593543950335],[-0.0000000000000000000000000001],[1.50],[null]]",
        JsonRows.Of(new(("d", new decimal?[] { decimal.MaxValue, -0.0000000000000000000000000001m, 1.50m, null }))));

    [Fact]
    public void Times_have_seven_digits_and_their_offset()
    {
        var time = new DateTime(2024, 2, 29, 23, 59, 59, DateTimeKind.Utc).AddTicks(1_234_567);
        Assert.Equal("[[\"2024-02-29T23:59:59.1234567\"],[null]]", JsonRows.Of(new(("t", new DateTime?[] { time, null }))));
        Assert.Equal("[[\"2024-02-29T23:59:59.1234567+00:00\"]]", JsonRows.Of(new(("t", new[] { new DateTimeOffset(time) }))));
        Assert.Equal("[[\"0001-01-01T00:00:00.0000000\"]]", JsonRows.Of(new(("t", new[] { DateTime.MinValue }))));
    }

    [Fact]
    public void Guids_and_bytes_come_back()
    {
        var guid = Guid.NewGuid();
        byte[] bytes = [0, 1, 254, 255];
        Assert.Equal(guid, Read(new[] { guid }).GetGuid());
        Assert.Equal(bytes, Read(new[] { bytes }).GetBytesFromBase64());
        Assert.Equal("[[\"\"],[null]]", JsonRows.Of(new(("b", new byte[]?[] { [], null }))));
    }

    // A culture with a comma and another calendar.
    [Fact]
    public void No_culture_changes_the_text()
    {
        var culture = Thread.CurrentThread.CurrentCulture;
        Thread.CurrentThread.CurrentCulture = new("fa-IR");
        try
        {
            Assert.Equal("[[-1,0.5,1.5,\"2024-02-29T00:00:00.0000000\"]]", JsonRows.Of(new(
                ("n", new[] { -1L }), ("d", new[] { 0.5 }), ("m", new[] { 1.5m }), ("t", new[] { new DateTime(2024, 2, 29, 0, 0, 0, DateTimeKind.Utc) }))));
        }
        finally
        {
            Thread.CurrentThread.CurrentCulture = culture;
        }
    }

    [Fact]
    public void A_type_that_is_no_column_is_refused() =>
        Assert.Equal("System.Char[] is no type of a column.", Assert.Throws<NotSupportedException>(() => JsonRows.Of(new(("c", new[] { 'c' })))).Message);

    private static JsonElement Read(Array values) => JsonDocument.Parse(JsonRows.Of(new(("column", values)))).RootElement[0][0];
}
