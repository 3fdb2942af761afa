using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

public sealed class DeadLetterTests
{
    private static readonly DeadLetter Odd = new(
        new JournalEvent
        {
            PersistenceId = "konto-Zoë 🎫 '\"",
            SequenceNumber = 3,
            Ordering = 30,
            Timestamp = 0,
            Payload = ReadOnlyMemory<byte>.Empty,
            SerializerId = null,
            Manifest = "",
            Tags = ["a,b;c", "\"['é", ""],
        },
        null, 0);

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task An_event_cannot_queue_behind_a_dead_letter_that_is_gone(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await StoreAsync(readModel, DeadLetters.Of("a", 1), DeadLetters.Of("b", 2));
        await StoreAsync(readModel, DeadLetters.Of("a", 3, null, 0), DeadLetters.Of("b", 4, null, 0), DeadLetters.Of("a", 5, null, 0));
        await Assert.ThrowsAsync<FencedException>(() => StoreAsync(readModel, DeadLetters.Of("a", 6, null, 0), DeadLetters.Of("c", 7, null, 0)));
        await StoreAsync(readModel, DeadLetters.Of("c", 7), DeadLetters.Of("c", 8, null, 0));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task The_dead_letter_of_an_event_is_found_with_whether_its_id_has_others(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await StoreAsync(readModel, DeadLetters.Of("a", 1), DeadLetters.Of("a", 2), DeadLetters.Of("b", 3));
        Assert.Equivalent(new DeadLettersFound([2], true), await readModel.Store.FindDeadLettersAsync("accounts", "a", 2, default), strict: true);
        Assert.Equivalent(new DeadLettersFound([3], false), await readModel.Store.FindDeadLettersAsync("accounts", "b", 3, default), strict: true);
        Assert.Equivalent(new DeadLettersFound([], true), await readModel.Store.FindDeadLettersAsync("accounts", "a", 3, default), strict: true);
        Assert.Equivalent(new DeadLettersFound([], false), await readModel.Store.FindDeadLettersAsync("others", "a", 2, default), strict: true);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Dead_letters_are_read_unchanged_lowest_ordering_first(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        DeadLetter[] deadLetters =
        [
            Odd with { Error = "no such account: «Zoë»", Attempts = 5 },
            DeadLetters.Of(Odd.Event.PersistenceId, 2, ordering: 20),
            DeadLetters.Of(Odd.Event.PersistenceId, 1, "failed", 5, ordering: 40),
        ];

        await StoreAsync(readModel, deadLetters);

        var found = await readModel.Store.ReadDeadLettersAsync("accounts", Odd.Event.PersistenceId, 10, default);
        Assert.Equal([20, 30, 40], found.Select(deadLetter => deadLetter.Event.Ordering));
        Assert.Equivalent(deadLetters.OrderBy(deadLetter => deadLetter.Event.Ordering).Select(Flat), found.Select(Flat), strict: true);
        Assert.Single(await readModel.Store.ReadDeadLettersAsync("accounts", Odd.Event.PersistenceId, 1, default));
        Assert.Empty(await readModel.Store.ReadDeadLettersAsync("others", Odd.Event.PersistenceId, 10, default));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_dead_letter_whose_payload_was_not_read_has_no_empty_payload(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await StoreAsync(readModel, new DeadLetter(
            new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Ordering = 1, SerializerId = 7, Payload = default, OmittedPayloadBytes = 5_000 }, "it failed", 1));

        var found = await readModel.Store.ReadDeadLettersAsync("accounts", "a", 10, default);

        Assert.Equal((5_000, 7), (found[0].Event.OmittedPayloadBytes, found[0].Event.SerializerId));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_dead_letter_that_is_stored_again_is_replaced_and_keeps_its_time(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await StoreAsync(readModel, DeadLetters.Of("a", 1, attempts: 0));
        var before = await readModel.ScalarAsync("SELECT dead_lettered_at FROM throttled_projection_dead_letter");
        Assert.Equal(DBNull.Value, await readModel.ScalarAsync("SELECT tried_at FROM throttled_projection_dead_letter"));

        await StoreAsync(readModel, DeadLetters.Of("a", 1, "failed", 6), DeadLetters.Of("a", 2, null, 0));

        var found = await readModel.Store.ReadDeadLettersAsync("accounts", "a", 10, default);
        Assert.Equal([("failed", 6), (null, 0)], found.Select(deadLetter => (deadLetter.Error, deadLetter.Attempts)));
        Assert.Equal(before, await readModel.ScalarAsync("SELECT dead_lettered_at FROM throttled_projection_dead_letter WHERE ordering = 1"));
        Assert.NotEqual(DBNull.Value, await readModel.ScalarAsync("SELECT tried_at FROM throttled_projection_dead_letter WHERE ordering = 1"));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_lane_reads_the_ids_that_have_dead_letters_in_its_slices(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        string[] ids = [.. Enumerable.Range(0, 40).Select(n => $"account-{n}")];

        await StoreAsync(readModel, [.. ids.SelectMany(id => new[] { DeadLetters.Of(id, 1), DeadLetters.Of(id, 2) })]);

        var lower = await readModel.ReadLaneAsync();
        var upper = await readModel.ReadLaneAsync(512, 1023);
        Assert.NotEmpty(lower.DeadLetterIds);
        Assert.NotEmpty(upper.DeadLetterIds);
        Assert.Equal(ids.Where(id => JournalSlices.Of(id) < 512).Order(), lower.DeadLetterIds.Order());
        Assert.Equal(ids.Where(id => JournalSlices.Of(id) >= 512).Order(), upper.DeadLetterIds.Order());
        Assert.Equal((2 * lower.DeadLetterIds.Count, 80 - (2 * lower.DeadLetterIds.Count)), (lower.DeadLetters, upper.DeadLetters));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task A_dead_letter_is_removed_once(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await StoreAsync(readModel, DeadLetters.Of("a", 1), DeadLetters.Of("a", 2), DeadLetters.Of("a", 3), DeadLetters.Of("b", 4));

        await RemoveAsync(readModel, 1, 2);
        await Assert.ThrowsAsync<FencedException>(() => RemoveAsync(readModel, 2, 3));
        await Assert.ThrowsAsync<FencedException>(() => RemoveAsync(readModel, 4));

        Assert.Equal([3], (await readModel.Store.ReadDeadLettersAsync("accounts", "a", 10, default)).Select(deadLetter => deadLetter.Event.Ordering));
        Assert.Single(await readModel.Store.ReadDeadLettersAsync("accounts", "b", 10, default));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task An_error_text_that_no_database_can_store_is_cleaned(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();

        await StoreAsync(readModel, DeadLetters.Of("a", 1, "zero \0, half \ud83c, 🎫", 5), DeadLetters.Of("a", 2, new('x', 1_000_000), 5));

        var found = await readModel.Store.ReadDeadLettersAsync("accounts", "a", 10, default);
        Assert.Equal("zero \ufffd, half \ufffd, 🎫", found[0].Error);
        Assert.InRange(found[1].Error!.Length, 1000, 10_000);
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task The_first_of_each_persistence_id_is_read_with_the_number_of_those_behind_it(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();
        await readModel.VersionAsync("built", role: VersionRole.Building);
        await StoreAsync(readModel, DeadLetters.Of("a", 2), DeadLetters.Of("b", 3), DeadLetters.Of("c", 4), DeadLetters.Of("a", 5, null, 0), DeadLetters.Of("a", 6, null, 0));
        var control = new ProjectionControl(readModel.ReadModel);

        async Task<IEnumerable<(string, long, long)>> FirstAsync(string? version, int limit) =>
            (await control.FirstDeadLettersAsync("accounts", version, limit, default)).Select(each => (each.DeadLetter.Event.PersistenceId, each.DeadLetter.Event.Ordering, each.Behind));
        Assert.Equal([("a", 2, 2), ("b", 3, 0), ("c", 4, 0)], await FirstAsync(null, 10));
        Assert.Equal([("a", 2, 2), ("b", 3, 0)], await FirstAsync("accounts", 2));
        Assert.Empty(await FirstAsync("built", 10));
    }

    [Theory, OnSqlite, OnPostgreSql, OnSqlServer]
    public async Task Storing_or_removing_no_dead_letters_is_no_error(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.VersionAsync();

        await StoreAsync(readModel);
        await RemoveAsync(readModel);

        Assert.Equal(0, (await readModel.ReadLaneAsync()).DeadLetters);
    }

    internal static async Task StoreAsync(TestReadModel readModel, params DeadLetter[] deadLetters)
    {
        await using var transaction = await readModel.Store.BeginAsync("accounts", 1, default);
        await transaction.StoreDeadLettersAsync(deadLetters);
        await transaction.CommitAsync();
    }

    private static async Task RemoveAsync(TestReadModel readModel, params long[] orderings)
    {
        await using var transaction = await readModel.Store.BeginAsync("accounts", 1, default);
        await transaction.RemoveDeadLettersAsync("a", orderings);
        await transaction.CommitAsync();
    }

    private static object Flat(DeadLetter deadLetter) => new
    {
        deadLetter.Event.PersistenceId,
        deadLetter.Event.SequenceNumber,
        deadLetter.Event.Ordering,
        deadLetter.Event.Timestamp,
        Payload = Convert.ToHexString(deadLetter.Event.Payload.Span),
        deadLetter.Event.SerializerId,
        deadLetter.Event.Manifest,
        Tags = deadLetter.Event.Tags.ToArray(),
        deadLetter.Error,
        deadLetter.Attempts,
    };
}
