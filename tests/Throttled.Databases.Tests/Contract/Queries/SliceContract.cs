namespace Throttled.Databases.Tests.Contract;

/// <summary>Slices divide a journal: each event is in one of several ranges that cover everything.</summary>
public abstract class SliceContract(IJournalHost host, ITestOutputHelper output) : JournalContract(host, output)
{
    private static readonly string[] Ids =
        [.. TestEvents.Ids("some", 40), .. TestEvents.Ids("🎫", 40), "a", new('x', 255), "Zoë/事件", " ", "AaAaBB", "BBBBAa"];

    public static TheoryData<int[]> Divisions() => new()
    {
        new[] { 0 },
        new[] { 0, 512 },
        new[] { 0, 1, 1023 },
        new[] { 0, 1, 2, 97, 98, 99, 200, 300, 301, 302, 700, 1000, 1022, 1023 },
    };

    [ContractTheory]
    [MemberData(nameof(Divisions))]
    public async Task Each_event_is_in_one_of_the_ranges_that_cover_all(int[] firsts)
    {
        var journal = await NewJournalAsync();
        var events = TestEvents.OfEach(Ids, 1, 3).ToArray();
        await journal.AppendAsync(events);
        var (meter, reader) = StatementMeter.Of(() => journal.OpenReader(new() { MaxBufferSize = 10 }));
        var ranges = firsts.Select((first, i) => (First: first, Last: i + 1 < firsts.Length ? firsts[i + 1] - 1 : 1023)).ToList();
        var readings = ranges.Select(range => LiveReading.Of(reader.EventsBySlices(range.First, range.Last))).ToList();
        foreach (var (first, last) in ranges)
            (await reader.CurrentEventsBySlices(first, last).AllAsync()).AreExactly(In(first, last, events));
        await meter.UntilFollowingAsync(ranges.Count);

        JournalEvent[] more = [.. TestEvents.OfEach(Ids, 4, 2)];
        await journal.AppendAsync(more);

        List<string> all = [];
        foreach (var ((first, last), reading) in ranges.Zip(readings))
        {
            var expected = In(first, last, [.. events, .. more]);
            (await reading.UntilAsync(expected.Count)).AreExactly(expected);
            all.AddRange(expected);
            await reading.DisposeAsync();
        }
        Assert.Equal(events.Concat(more).Texts().Order(StringComparer.Ordinal), all.Order(StringComparer.Ordinal));
    }

    [ContractTheory]
    [InlineData(-1, 5, "min")]
    [InlineData(5, 4, "max")]
    [InlineData(0, 1024, "max")]
    [InlineData(1024, 1024, "max")]
    [InlineData(0, -1, "max")]
    public async Task Invalid_slices_are_refused(int min, int max, string parameter)
    {
        var reader = (await NewAbsentJournalAsync()).OpenReader();

        Assert.Throws<ArgumentOutOfRangeException>(parameter, () => reader.EventsBySlices(min, max));
        Assert.Throws<ArgumentOutOfRangeException>(parameter, () => reader.CurrentEventsBySlices(min, max));
    }

    private static List<string> In(int first, int last, IEnumerable<JournalEvent> events) =>
        [.. events.Where(each => JournalSlices.Of(each.PersistenceId) is var slice && slice >= first && slice <= last).Texts()];
}
