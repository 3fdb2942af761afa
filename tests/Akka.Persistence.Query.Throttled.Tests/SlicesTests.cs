using Akka.Persistence.Query.Throttled.Tests.Settings;

namespace Akka.Persistence.Query.Throttled.Tests;

public sealed class SlicesTests
{
    [Theory]
    [InlineData(5, 2, "maxSlice", "maxSlice is 2; it must be from minSlice, which is 5, to 1023. (Parameter 'maxSlice')")]
    [InlineData(0, 1024, "maxSlice", "maxSlice is 1024; it must be from minSlice, which is 0, to 1023. (Parameter 'maxSlice')")]
    [InlineData(-1, 2, "minSlice", "minSlice is -1; it must be from 0 to 1023. (Parameter 'minSlice')")]
    [InlineData(1024, 1024, "minSlice", "minSlice is 1024; it must be from 0 to 1023. (Parameter 'minSlice')")]
    public void Invalid_slices_are_refused_with_the_names_of_the_parameters(int min, int max, string name, string message)
    {
        using var system = new ConfiguredSystem(Hocon.Journal());
        var journal = system.Open();
        foreach (var query in (Action[])[
            () => journal.EventsBySlices(min, max, Offset.NoOffset()), () => journal.CurrentEventsBySlices(min, max, Offset.NoOffset())])
        {
            var error = Assert.Throws<ArgumentException>(query);
            Assert.Equal((name, message), (error.ParamName, error.Message));
        }
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1023, 1023)]
    [InlineData(0, 1023)]
    public void The_first_and_the_last_slice_are_valid(int min, int max)
    {
        using var system = new ConfiguredSystem(Hocon.Journal());
        Assert.NotNull(system.Open().EventsBySlices(min, max, Offset.NoOffset()));
    }
}
