namespace Throttled.Journal.Tests.Model;

/// <summary>Stored texts of positions and maps are parsed or refused, however they were damaged.</summary>
public sealed class ShardTextFuzzTests
{
    [Fact]
    public void Random_texts_are_parsed_or_refused() => Read(3_000);

    [Fact]
    [Trait("Category", "Long")]
    public void Very_many_random_texts_are_parsed_or_refused() => Read(LongShare.Of(300_000));

    private static void Read(int count) => Garbage.ForEach(count, garbage =>
    {
        var text = garbage.Random.Next(4) == 0 ? garbage.Text() : garbage.Like(garbage.OneOf("0-511:1042,512-1023:77", "0-1023:0", "0-255,256-511,512-1023", "0-1023"));
        if (Of<FormatException, ShardedPosition>(() => ShardedPosition.Parse(text)) is { } position)
            Assert.Equal(position.ToString(), ShardedPosition.Parse(position.ToString()).ToString());
        if (Of<ArgumentException, ShardMap>(() => ShardMap.Parse(text)) is { } map)
            Assert.Equal(map, ShardMap.Parse(map.ToString()));
    });

    private static T? Of<TRefusal, T>(Func<T> read)
        where TRefusal : Exception
        where T : class
    {
        try
        {
            return read();
        }
        catch (TRefusal refusal)
        {
            Assert.NotEmpty(refusal.Message);
            return null;
        }
    }
}
