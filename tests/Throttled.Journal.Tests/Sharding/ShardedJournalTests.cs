namespace Throttled.Journal.Tests.Sharding;

public sealed class ShardedJournalTests
{
    private readonly List<ScriptedDatabase> _opened = [];

    [Fact]
    public async Task Each_shard_is_opened_with_the_options_and_its_place_in_the_map()
    {
        await using var reader = ShardedJournal.OpenReader(["a", "b", "c"], Open, new() { Name = "orders", MaxBufferSize = 7 });

        var options = reader.Journal.Shards.Select(part => part.Options).ToList();
        Assert.All(options, each => Assert.Equal(("orders", 7), (each.Name, each.MaxBufferSize)));
        Assert.Equal(Enumerable.Range(0, 3).Select(shard => $"shard {shard} of \"0-340,341-681,682-1023\""), options.Select(each => each.Shard!.ToString()));
    }

    [Fact]
    public void No_databases_are_refused()
    {
        var error = Assert.Throws<ArgumentException>(() => ShardedJournal.OpenReader<string>([], Open));
        Assert.StartsWith("There are 0 databases; there must be from 1 to 1024.", error.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentException>(() => ShardedJournal.OpenAppender<string>([], (_, _) => new FakeAppender()));
    }

    [Fact]
    public void More_databases_than_slices_are_refused()
    {
        var error = Assert.Throws<ArgumentException>(() => ShardedJournal.OpenReader(Enumerable.Range(0, 1025).ToList(), (_, options) => Open("", options)));
        Assert.StartsWith("There are 1025 databases; there must be from 1 to 1024.", error.Message, StringComparison.Ordinal);
        Assert.Empty(_opened);
    }

    [Fact]
    public void A_number_of_databases_other_than_that_of_the_map_is_refused()
    {
        var error = Assert.Throws<ArgumentException>(() => ShardedJournal.OpenReader(["a", "b"], Open, map: ShardMap.Even(3)));
        Assert.StartsWith("There are 2 databases, but the map \"0-340,341-681,682-1023\" has 3 shards; the numbers must be equal.", error.Message, StringComparison.Ordinal);
        Assert.Empty(_opened);
    }

    [Fact]
    public void Readers_opened_before_one_that_fails_are_closed()
    {
        var error = Assert.Throws<InvalidOperationException>(() => ShardedJournal.OpenReader(
            ["a", "b", "c"], (name, options) => name == "c" ? throw new InvalidOperationException("no such database") : Open(name, options)));
        Assert.Equal("no such database", error.Message);
        Assert.Equal(2, _opened.Count);
        Assert.All(_opened, database => Assert.True(database.IsDisposed));
    }

    [Fact]
    public void A_bad_option_is_refused_at_the_first_shard()
    {
        Assert.Throws<ArgumentException>(() => ShardedJournal.OpenReader(["a", "b"], Open, new() { MaxBufferSize = 0 }));
        Assert.Single(_opened);
    }

    [Fact]
    public void A_reader_that_was_opened_without_the_options_is_refused_and_closed()
    {
        var error = Assert.Throws<ArgumentException>(() => ShardedJournal.OpenReader(["a", "b"], (name, options) => Open(name, name == "a" ? options : null)));
        Assert.Contains("Pass them on: (database, options) => SqliteJournal.OpenReader(database, options)", error.Message, StringComparison.Ordinal);
        Assert.Equal(2, _opened.Count);
        Assert.All(_opened, database => Assert.True(database.IsDisposed));
    }

    [Fact]
    public void A_reader_of_several_shards_is_refused_as_a_shard()
    {
        Assert.Throws<ArgumentException>(() => ShardedJournal.OpenReader(["x"], (_, _) => ShardedJournal.OpenReader(["a", "b"], Open)));
        Assert.All(_opened, database => Assert.True(database.IsDisposed));
    }

    [Fact]
    public void Appenders_opened_before_one_that_fails_are_closed()
    {
        var first = new FakeAppender();
        Assert.Throws<InvalidOperationException>(() => ShardedJournal.OpenAppender(
            ["a", "b"], (name, _) => name == "b" ? throw new InvalidOperationException() : first));
        Assert.True(first.IsDisposed);
    }

    [Fact]
    public async Task A_plain_ordering_is_refused_unless_it_is_the_start()
    {
        await using var reader = ShardedJournal.OpenReader(["a", "b"], Open);
        var error = Assert.Throws<ArgumentException>(() => reader.AllEvents(17));
        Assert.Equal(
            "The query cannot begin after ordering 17: the journal has 2 shards, and each numbers its own events. Begin at the start, "
            + "or use a ShardedPosition: ShardedPosition.Parse if the position was stored as text, or ShardedPosition.At if the number is from the journal "
            + "before it was divided.",
            error.Message);
        Assert.NotNull(reader.AllEvents());
        Assert.Throws<ArgumentException>(() => reader.CurrentEventsByTag("t", 1));
        Assert.Throws<ArgumentException>(() => reader.EventsBySlices(0, 10, 1));
    }

    [Fact]
    public async Task A_single_shard_is_read_from_a_plain_ordering_like_a_plain_journal()
    {
        await using var reader = ShardedJournal.OpenReader(["a"], Open);
        Assert.NotNull(reader.AllEvents(17));
        Assert.NotNull(reader.AllEvents(ShardedPosition.At(ShardMap.Even(1), 17)));
    }

    [Fact]
    public async Task A_position_of_other_shards_is_refused_at_the_query()
    {
        await using var reader = ShardedJournal.OpenReader(["a", "b"], Open);
        await using var single = Open("c", null);
        var position = ShardedPosition.At(ShardMap.Even(3), 4);
        Assert.Throws<ArgumentException>(() => reader.AllEvents(position));
        Assert.Throws<ArgumentException>(() => single.AllEvents(position));
        Assert.NotNull(reader.AllEvents(ShardedPosition.At(ShardMap.Even(1), 4)));
    }

    private JournalReader Open(string name, JournalOptions? options)
    {
        var database = new ScriptedDatabase(new(), TimeProvider.System);
        _opened.Add(database);
        return new(database, options ?? new());
    }
}
