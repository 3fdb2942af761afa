namespace Throttled.Projections.Tests.Model;

public sealed class IdempotencyKeyTests
{
    // Receivers store these texts. They were computed by another program.
    [Theory]
    [InlineData("mails", "order-17", 4, "c198108f-a9d9-85ba-a9d7-d83ac9359bbd")]
    [InlineData("mails", "Bestellung/ü \u2028\n", 9_000_000_000, "255f8e35-362a-85e5-8b5d-b69c756e10a2")]
    [InlineData("", "", 0, "15ec7bf0-b507-82b4-9f82-28e07d243653")]
    public void The_text_of_a_key_never_changes_and_fits_a_header(string version, string id, long number, string expected)
    {
        var text = new IdempotencyKey(version, id, number).ToString();
        Assert.Equal(expected, text);
        using var request = new HttpRequestMessage();
        request.Headers.Add("Idempotency-Key", text);
        Assert.Equal(8, Guid.Parse(text).Version);
    }

    [Fact]
    public void A_key_that_was_never_set_has_the_text_of_an_empty_one() =>
        Assert.Equal(new IdempotencyKey("", "", 0).ToString(), default(IdempotencyKey).ToString());

    [Fact]
    public void Keys_that_differ_in_any_part_have_different_texts()
    {
        IdempotencyKey[] keys =
        [
            new("mails", "a", 1), new("mails", "a", 2), new("mails", "b", 1), new("mail", "sa", 1), new("mailsa", "", 1), new("", "mailsa", 1),
            new("mails", "A", 1), new("mails", "a", 256), new("mails", "a", 1L << 32),
        ];
        Assert.Equal(keys.Length, keys.Select(key => key.ToString()).Distinct().Count());
    }

    [Fact]
    public void The_key_of_an_event_has_its_version_id_and_number()
    {
        var handled = new ProjectionEvent(new() { PersistenceId = "a", SequenceNumber = 3, Ordering = 9, Payload = default }, "payload", new("mails"));
        Assert.Equal(new IdempotencyKey("mails", "a", 3), handled.IdempotencyKey);
        Assert.Equal(handled.IdempotencyKey, new ProjectionEvent<string>(handled).IdempotencyKey);
    }

    [Theory]
    [InlineData(8, true)]
    [InlineData(9, true)]
    [InlineData(10, false)]
    public void An_event_is_a_replay_up_to_the_end_of_the_history(long ordering, bool expected)
    {
        var handled = new ProjectionEvent(new() { PersistenceId = "a", SequenceNumber = 3, Ordering = ordering, Payload = default }, "payload", new("mails", [new(SliceRange.All, 9, 0)]));
        Assert.Equal((expected, expected), (handled.IsReplay, new ProjectionEvent<string>(handled).IsReplay));
    }
}
