namespace Throttled.Journal.SqlServer.Tests;

public class BulkRowsTests
{
    private const long Now = 42;

    [Theory]
    [InlineData(TagMode.TagTable, 7)]
    [InlineData(TagMode.Csv, 8)]
    public void An_event_is_a_row(TagMode mode, int columns)
    {
        byte[] payload = [1, 2];
        var rows = Events(mode, new JournalEvent { PersistenceId = "a", SequenceNumber = 5, Payload = payload, Timestamp = 9, SerializerId = 7, Manifest = "m", Tags = ["x", "y"] });
        Assert.Equal(columns, rows.FieldCount);
        Assert.True(rows.Read());
        object[] expected = [1L, "a", 5L, 9L, payload, 7, "m", ";x;y;"];
        Assert.Equal(expected[..columns], Values(rows));
        Assert.False(rows.Read());
    }

    [Fact]
    public void Missing_values_of_an_event_are_written_as_now_empty_or_null()
    {
        var rows = Events(TagMode.Csv, new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = default });
        Assert.True(rows.Read());
        Assert.Equal([1L, "a", 1L, Now, Array.Empty<byte>(), DBNull.Value, "", ""], Values(rows));
        Assert.True(rows.IsDBNull(5));
        Assert.False(rows.IsDBNull(6));
    }

    [Fact]
    public void A_payload_is_copied_only_if_it_is_part_of_an_array()
    {
        byte[] whole = [1, 2, 3];
        var rows = Events(TagMode.TagTable, Of(whole), Of(whole.AsMemory(1, 2)), Of(whole.AsMemory(0, 2)));
        Assert.True(rows.Read());
        Assert.Same(whole, rows.GetValue(4));
        Assert.True(rows.Read());
        Assert.Equal(new byte[] { 2, 3 }, rows.GetValue(4));
        Assert.True(rows.Read());
        Assert.Equal(new byte[] { 1, 2 }, rows.GetValue(4));
    }

    [Fact]
    public void Each_event_has_its_own_number_and_serializer()
    {
        int?[] serializers = [7, 7, null, 8, 7, null, null];
        var rows = Events(TagMode.TagTable, [.. serializers.Select(id => new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = default, SerializerId = id })]);
        List<(object, object)> read = [];
        while (rows.Read())
            read.Add((rows.GetValue(0), rows.GetValue(5)));
        Assert.Equal(serializers.Select((id, i) => ((object)(i + 1L), (object?)id ?? DBNull.Value)), read);
    }

    [Fact]
    public void A_tag_is_a_row_with_the_number_of_its_event_and_is_there_once()
    {
        using var rows = new TagRows([Tagged("x", "y", "x"), Tagged(), Tagged("X", "x")]);
        List<(object, object)> read = [];
        while (rows.Read())
            read.Add((rows.GetValue(0), rows.GetValue(1)));
        Assert.Equal([(1L, "x"), (1L, "y"), (3L, "X"), (3L, "x")], read);
        Assert.Equal(2, rows.FieldCount);
    }

    private static EventRows Events(TagMode mode, params JournalEvent[] events) => new(events, JournalTables.Default with { TagMode = mode }, Now);

    private static object[] Values(BulkRows rows) => [.. Enumerable.Range(0, rows.FieldCount).Select(rows.GetValue)];

    private static JournalEvent Of(ReadOnlyMemory<byte> payload) => new() { PersistenceId = "a", SequenceNumber = 1, Payload = payload };

    private static JournalEvent Tagged(params string[] tags) => new() { PersistenceId = "a", SequenceNumber = 1, Payload = default, Tags = tags };
}
