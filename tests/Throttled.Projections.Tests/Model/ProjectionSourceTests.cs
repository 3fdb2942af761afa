namespace Throttled.Projections.Tests.Model;

public sealed class ProjectionSourceTests
{
    [Fact]
    public void The_stored_text_has_the_filters_before_the_source_and_does_not_depend_on_their_order()
    {
        Assert.Equal("all", ProjectionSource.All.ToString());
        Assert.Equal("slices:0-3", ProjectionSource.BySlices(0, 3).ToString());
        Assert.Equal(
            """manifests:["Placed","Sent"] prefix:"order-" of tag:red""",
            ProjectionSource.ByTag("red").OfTypes("Sent", "Placed", "Sent").WithIdPrefix("order-").ToString());
        Assert.Equal("""prefix:"größe\"<" of all""", ProjectionSource.All.WithIdPrefix("größe\"<").ToString());
        Assert.Equal(
            """types:["System.Collections.Generic.List`1[System.Int32]","System.String"] of slices:0-3""",
            ProjectionSource.BySlices(0, 3).OfTypes(typeof(string), typeof(List<int>)).ToString());
    }

    [Fact]
    public void Sources_with_the_same_events_are_equal()
    {
        Assert.Equal(ProjectionSource.ByTag("red").OfTypes("a", "b"), ProjectionSource.ByTag("red").OfTypes("b", "a"));
        Assert.Equal(ProjectionSource.All.OfTypes("a").GetHashCode(), ProjectionSource.All.OfTypes("a").GetHashCode());
        Assert.NotEqual(ProjectionSource.All.OfTypes("a"), ProjectionSource.All.OfTypes("b"));
        // A tag with the text of a filter.
        Assert.NotEqual(ProjectionSource.ByTag("x").WithIdPrefix("a").ToString(), ProjectionSource.ByTag("""x prefix:"a" """).ToString());
    }

    [Theory]
    [InlineData("Placed", true)]
    [InlineData("placed", false)]
    [InlineData("Shop.Sent, Shop", true)]
    [InlineData("Shop.Sent, Shop, Version=2.0.0.0, Culture=neutral, PublicKeyToken=null", true)]
    [InlineData("Shop.Sent", false)]
    [InlineData("", false)]
    public void Manifests_are_compared_ordinally_and_without_the_version_of_the_assembly(string manifest, bool isIn) =>
        Assert.Equal(isIn, ProjectionSource.All.OfTypes("Placed", "Shop.Sent, Shop, Version=1.0.0.0").Has(Event("a", manifest)));

    [Fact]
    public void An_event_without_a_manifest_is_in_if_the_empty_one_is_given() =>
        Assert.True(ProjectionSource.All.OfTypes("", "Placed").Has(Event("a", "")));

    [Fact]
    public void Prefix_and_manifest_must_both_fit()
    {
        var source = ProjectionSource.All.WithIdPrefix("order-").OfTypes("Placed");
        Assert.True(source.Has(Event("order-1", "Placed")));
        Assert.False(source.Has(Event("Order-1", "Placed")));
        Assert.False(source.Has(Event("my-order-1", "Placed")));
        Assert.False(source.Has(Event("order-1", "Sent")));
    }

    [Fact]
    public void Types_include_derived_ones_and_are_not_compared_with_the_row()
    {
        var source = ProjectionSource.All.OfTypes(typeof(Exception), typeof(IFormattable));
        Assert.True(source.Has(Event("a", "any")));
        Assert.True(source.HasDecoded(new InvalidOperationException()));
        Assert.True(source.HasDecoded(7));
        Assert.False(source.HasDecoded("7"));
        Assert.True(ProjectionSource.All.OfTypes("Placed").HasDecoded("7"));
    }

    [Fact]
    public void Empty_filters_and_second_ones_are_refused()
    {
        Assert.Throws<ArgumentException>(() => ProjectionSource.All.OfTypes(Array.Empty<string>()));
        Assert.Throws<ArgumentException>(() => ProjectionSource.All.OfTypes("a", null!));
        Assert.Throws<ArgumentException>(() => ProjectionSource.All.OfTypes(Array.Empty<Type>()));
        Assert.Throws<ArgumentException>(() => ProjectionSource.All.WithIdPrefix(""));
        Assert.Throws<InvalidOperationException>(() => ProjectionSource.All.OfTypes("a").OfTypes("b"));
        Assert.Throws<InvalidOperationException>(() => ProjectionSource.All.OfTypes("a").OfTypes(typeof(int)));
        Assert.Throws<InvalidOperationException>(() => ProjectionSource.All.WithIdPrefix("a").WithIdPrefix("b"));
    }

    private static JournalEvent Event(string id, string manifest) => new() { PersistenceId = id, SequenceNumber = 1, Payload = default, Manifest = manifest };
}
