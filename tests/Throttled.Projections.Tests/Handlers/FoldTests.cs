using Throttled.Projections.Databases;

namespace Throttled.Projections.Tests.Handlers;

public sealed class FoldTests
{
    [Fact]
    public void Each_key_has_one_change_of_all_its_events_in_order()
    {
        var changes = Batch("a:1", "b:2", "a:3", "b:4", "c:5").Fold((string id) => new List<string> { id }, (all, e) => all[e.PersistenceId].Add(Value(e)));
        Assert.Equal(["a 1 3", "b 2 4", "c 5"], changes.Select(change => string.Join(' ', change)));
    }

    [Fact]
    public void An_event_may_concern_several_keys_or_none()
    {
        var changes = Batch("a:1", "a:skip", "b:2").Fold((char key) => new List<string> { $"{key}" }, (all, e) =>
        {
            if (Value(e) == "skip")
                return;
            all[e.PersistenceId[0]].Add(Value(e));
            all['x'].Add(Value(e));
        });
        Assert.Equal(["a 1", "x 1 2", "b 2"], changes.Select(change => string.Join(' ', change)));
    }

    [Fact]
    public void A_change_may_be_a_value()
    {
        var changes = Batch("a:1", "b:10", "a:100").Fold((string id) => (Id: id, Sum: 0), (all, e) =>
            all[e.PersistenceId] = all[e.PersistenceId] with { Sum = all[e.PersistenceId].Sum + int.Parse(Value(e)) });
        Assert.Equal([("a", 101), ("b", 10)], changes);
    }

    [Fact]
    public void A_change_that_throws_fails_its_event_and_not_the_batch()
    {
        var error = Assert.Throws<EventFailedException>(
            () => Batch("a:1", "a:x", "a:3").Fold((string id) => new List<int>(), (all, e) => all[e.PersistenceId].Add(int.Parse(Value(e)))));
        Assert.Equal(102, error.Ordering);
        Assert.IsType<FormatException>(error.InnerException);
    }

    [Fact]
    public void A_start_value_that_throws_fails_the_first_event_of_its_key()
    {
        var cause = new InvalidOperationException("no such account");
        var error = Assert.Throws<EventFailedException>(
            () => Batch("a:1", "b:2").Fold((string id) => id == "b" ? throw cause : new List<int>(), (all, e) => all[e.PersistenceId].Add(0)));
        Assert.Equal((102, cause), (error.Ordering, error.InnerException));
    }

    [Fact]
    public void A_failure_that_names_its_event_and_a_cancellation_are_not_wrapped()
    {
        var named = new EventFailedException(7, new FormatException());
        Assert.Same(named, Assert.Throws<EventFailedException>(() => Batch("a:1").Fold((string _) => 0, (_, _) => throw named)));
        Assert.Throws<OperationCanceledException>(() => Batch("a:1").Fold((string _) => 0, (_, _) => throw new OperationCanceledException()));
    }

    [Fact]
    public void Events_whose_key_no_fold_read_are_untaken()
    {
        var batch = Batch("a:1", "b:2", "c:3");
        batch.Fold((string id) => id, (all, e) => _ = e.PersistenceId == "a" ? all["a"] : "");
        Assert.Equal(["b", "c"], batch.Untaken.Select(e => e.PersistenceId));
        batch.Fold((string _) => 0, (all, e) => all[e.PersistenceId] = e.PersistenceId == "c" ? 1 : 0);
        Assert.Empty(batch.Untaken);
    }

    [Fact]
    public void All_events_of_an_unused_batch_are_untaken_and_of_a_used_one_those_that_the_handler_names()
    {
        var batch = Batch("a:1", "b:2", "c:3");
        Assert.Equal(["a", "b", "c"], batch.Untaken.Select(e => e.PersistenceId));
        _ = batch.Transaction;
        Assert.Empty(batch.Untaken);
        batch.Unhandled(batch[1]);
        batch.Unhandled(batch[1]);
        Assert.Equal(["b"], batch.Untaken.Select(e => e.PersistenceId));
        batch.Fold((string id) => id, (all, e) => _ = e.PersistenceId == "c" ? "" : all["a"]);
        Assert.Equal(["b"], batch.Untaken.Select(e => e.PersistenceId));
    }

    private static string Value(ProjectionEvent @event) => (string)@event.Payload;

    private static ProjectionBatch Batch(params string[] events)
    {
        var decoded = events.Select((text, i) => Event(text.Split(':'), i)).ToList();
        return new("accounts", decoded, null!, new SqliteReadModelDialect());
    }

    private static ProjectionEvent Event(string[] parts, int i) => new(
        new JournalEvent { PersistenceId = parts[0], SequenceNumber = i + 1, Ordering = 101 + i, Payload = default }, parts[1]);
}
