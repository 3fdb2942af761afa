using Throttled.Benchmarks.Pictures;

namespace Throttled.Tool.Tests.Pictures;

/// <summary>The pictures in the documentation show the figures of the results.</summary>
public sealed class PictureTests
{
    public static TheoryData<string> Names() => [.. PictureSet.All.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public void A_redrawn_picture_equals_its_file(string name) =>
        Assert.Equal(PictureSet.All[name](), File.ReadAllText(PictureSet.FileOf(name)).ReplaceLineEndings("\n"));
}
