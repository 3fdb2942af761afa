using System.Text;

namespace Throttled.Journal.Tests.Model;

public sealed class JournalSlicesTests
{
    // Hashes by Java's definition: 0, 97, 96354, 99162322, -2147483648, 236235599, 1772899, -803382842, -1520267279, -155129023.
    [Theory]
    [InlineData("", 0)]
    [InlineData("a", 97)]
    [InlineData("abc", 98)]
    [InlineData("hello", 210)]
    [InlineData("polygenelubricants", 0)]
    [InlineData("ünï-ß", 847)]
    [InlineData("😀", 355)]
    [InlineData("account-17", 570)]
    [InlineData("Order|4711", 15)]
    [InlineData("persistence-id-with-a-long-name-000001", 191)]
    public void A_persistence_id_is_in_the_slice_that_Akka_gives_it(string persistenceId, int slice) =>
        Assert.Equal(slice, JournalSlices.Of(persistenceId));

    [Theory]
    [InlineData("")]
    [InlineData("ünï-ß-😀-日本")]
    [InlineData("account-17")]
    public void Its_UTF_8_bytes_are_in_the_same_slice(string persistenceId)
    {
        var longer = string.Concat(Enumerable.Repeat(persistenceId, 100));

        Assert.Equal(JournalSlices.Of(persistenceId), JournalSlices.OfUtf8(Encoding.UTF8.GetBytes(persistenceId)));
        Assert.Equal(JournalSlices.Of(longer), JournalSlices.OfUtf8(Encoding.UTF8.GetBytes(longer)));
    }

    [Fact]
    public void Null_is_refused() => Assert.Throws<ArgumentNullException>(() => JournalSlices.Of(null!));
}
