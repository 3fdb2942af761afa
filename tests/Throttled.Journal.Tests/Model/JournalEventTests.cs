namespace Throttled.Journal.Tests.Model;

public sealed class JournalEventTests
{
    // The two values share one field, and can be set in any order.
    [Theory]
    [InlineData(null, 0)]
    [InlineData(null, 1)]
    [InlineData(null, int.MaxValue)]
    [InlineData(0, 0)]
    [InlineData(-1, 0)]
    [InlineData(int.MinValue, int.MaxValue)]
    [InlineData(int.MaxValue, 7)]
    public void A_serializer_id_and_a_skipped_length_are_both_kept(int? serializerId, int omitted)
    {
        JournalEvent[] events =
        [
            new() { PersistenceId = "a", SequenceNumber = 1, Payload = default, SerializerId = serializerId, OmittedPayloadBytes = omitted },
            new() { PersistenceId = "a", SequenceNumber = 1, Payload = default, OmittedPayloadBytes = omitted, SerializerId = serializerId },
            new() { PersistenceId = "a", SequenceNumber = 1, Payload = default, OmittedPayloadBytes = 3, SerializerId = 4 },
        ];
        Assert.All(events[..2], each => Assert.Equal((serializerId, omitted), (each.SerializerId, each.OmittedPayloadBytes)));
        Assert.Equal((4, 3), (events[2].SerializerId, events[2].OmittedPayloadBytes));
    }

    [Fact]
    public void An_event_has_neither_by_default()
    {
        var each = new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = default };
        Assert.Equal((null, 0), (each.SerializerId, each.OmittedPayloadBytes));
    }

    [Fact]
    public void A_length_below_zero_is_refused() => Assert.Throws<ArgumentOutOfRangeException>(
        () => new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Payload = default, OmittedPayloadBytes = -1 });
}
