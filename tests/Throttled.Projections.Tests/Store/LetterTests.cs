using Throttled.Journal;
using Throttled.Projections.Failures;
using Throttled.Projections.Store;

namespace Throttled.Projections.Tests.Store;

public sealed class LetterTests
{
    private static readonly DeadLetterRow Odd = new(
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

    [Theory, OnSqlite, OnPostgreSql]
    public async Task What_would_queue_behind_a_letter_that_is_gone_is_fenced(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.TargetAsync();
        await ParkAsync(readModel, Letters.Of("a", 1), Letters.Of("b", 2));
        await ParkAsync(readModel, Letters.Of("a", 3, null, 0), Letters.Of("b", 4, null, 0), Letters.Of("a", 5, null, 0));
        await Assert.ThrowsAsync<FencedException>(() => ParkAsync(readModel, Letters.Of("a", 6, null, 0), Letters.Of("c", 7, null, 0)));
        await ParkAsync(readModel, Letters.Of("c", 7), Letters.Of("c", 8, null, 0));
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task The_letters_of_one_event_are_found_and_whether_its_id_has_others(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.TargetAsync();
        await ParkAsync(readModel, Letters.Of("a", 1), Letters.Of("a", 2), Letters.Of("b", 3));
        Assert.Equivalent(new LettersFound([2], true), await readModel.Store.FindLettersAsync("accounts", "a", 2, default), strict: true);
        Assert.Equivalent(new LettersFound([3], false), await readModel.Store.FindLettersAsync("accounts", "b", 3, default), strict: true);
        Assert.Equivalent(new LettersFound([], true), await readModel.Store.FindLettersAsync("accounts", "a", 3, default), strict: true);
        Assert.Equivalent(new LettersFound([], false), await readModel.Store.FindLettersAsync("others", "a", 2, default), strict: true);
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task Letters_come_back_as_they_were_kept_lowest_ordering_first(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.TargetAsync();
        DeadLetterRow[] letters =
        [
            Odd with { Error = "no such account: «Zoë»", Attempts = 5 },
            Letters.Of(Odd.Stored.PersistenceId, 2, ordering: 20),
            Letters.Of(Odd.Stored.PersistenceId, 1, "failed", 5, ordering: 40),
        ];

        await ParkAsync(readModel, letters);

        var found = await readModel.Store.ReadLettersAsync("accounts", Odd.Stored.PersistenceId, 10, default);
        Assert.Equal([20, 30, 40], found.Select(letter => letter.Stored.Ordering));
        Assert.Equivalent(letters.OrderBy(letter => letter.Stored.Ordering).Select(Flat), found.Select(Flat), strict: true);
        Assert.Single(await readModel.Store.ReadLettersAsync("accounts", Odd.Stored.PersistenceId, 1, default));
        Assert.Empty(await readModel.Store.ReadLettersAsync("others", Odd.Stored.PersistenceId, 10, default));
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task A_letter_whose_payload_was_not_read_does_not_come_back_as_one_with_an_empty_payload(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.TargetAsync();
        await ParkAsync(readModel, new DeadLetterRow(
            new JournalEvent { PersistenceId = "a", SequenceNumber = 1, Ordering = 1, SerializerId = 7, Payload = default, OmittedPayloadBytes = 5_000 }, "it failed", 1));

        var found = await readModel.Store.ReadLettersAsync("accounts", "a", 10, default);

        Assert.Equal((5_000, 7), (found[0].Stored.OmittedPayloadBytes, found[0].Stored.SerializerId));
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task A_letter_that_is_there_is_replaced_and_keeps_when_it_was_parked(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.TargetAsync();
        await ParkAsync(readModel, Letters.Of("a", 1, attempts: 0));
        var parked = await readModel.ScalarAsync("SELECT dead_lettered_at FROM throttled_projection_dead_letter");
        Assert.Equal(DBNull.Value, await readModel.ScalarAsync("SELECT tried_at FROM throttled_projection_dead_letter"));

        await ParkAsync(readModel, Letters.Of("a", 1, "failed", 6), Letters.Of("a", 2, null, 0));

        var found = await readModel.Store.ReadLettersAsync("accounts", "a", 10, default);
        Assert.Equal([("failed", 6), (null, 0)], found.Select(letter => (letter.Error, letter.Attempts)));
        Assert.Equal(parked, await readModel.ScalarAsync("SELECT dead_lettered_at FROM throttled_projection_dead_letter WHERE ordering = 1"));
        Assert.NotEqual(DBNull.Value, await readModel.ScalarAsync("SELECT tried_at FROM throttled_projection_dead_letter WHERE ordering = 1"));
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task A_lane_knows_the_ids_that_have_letters_in_its_slices(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.TargetAsync();
        string[] ids = [.. Enumerable.Range(0, 40).Select(n => $"account-{n}")];

        await ParkAsync(readModel, [.. ids.SelectMany(id => new[] { Letters.Of(id, 1), Letters.Of(id, 2) })]);

        var lower = await readModel.ReadLaneAsync();
        var upper = await readModel.ReadLaneAsync(512, 1023);
        Assert.NotEmpty(lower.ParkedIds);
        Assert.NotEmpty(upper.ParkedIds);
        Assert.Equal(ids.Where(id => JournalSlices.Of(id) < 512).Order(), lower.ParkedIds.Order());
        Assert.Equal(ids.Where(id => JournalSlices.Of(id) >= 512).Order(), upper.ParkedIds.Order());
        Assert.Equal((2 * lower.ParkedIds.Count, 80 - (2 * lower.ParkedIds.Count)), (lower.DeadLetters, upper.DeadLetters));
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task A_letter_is_taken_out_once(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.TargetAsync();
        await ParkAsync(readModel, Letters.Of("a", 1), Letters.Of("a", 2), Letters.Of("a", 3), Letters.Of("b", 4));

        await UnparkAsync(readModel, 1, 2);
        await Assert.ThrowsAsync<FencedException>(() => UnparkAsync(readModel, 2, 3));
        await Assert.ThrowsAsync<FencedException>(() => UnparkAsync(readModel, 4));

        Assert.Equal([3], (await readModel.Store.ReadLettersAsync("accounts", "a", 10, default)).Select(letter => letter.Stored.Ordering));
        Assert.Single(await readModel.Store.ReadLettersAsync("accounts", "b", 10, default));
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task An_error_that_no_database_could_store_is_kept_as_far_as_one_can(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.TargetAsync();

        await ParkAsync(readModel, Letters.Of("a", 1, "zero \0, half \ud83c, 🎫", 5), Letters.Of("a", 2, new('x', 1_000_000), 5));

        var found = await readModel.Store.ReadLettersAsync("accounts", "a", 10, default);
        Assert.Equal("zero \ufffd, half \ufffd, 🎫", found[0].Error);
        Assert.InRange(found[1].Error!.Length, 1000, 10_000);
    }

    [Theory, OnSqlite, OnPostgreSql]
    public async Task Nothing_to_keep_and_nothing_to_take_out_are_no_fault(string database)
    {
        await using var readModel = await TestReadModel.CreateAsync(database);
        await readModel.TargetAsync();

        await ParkAsync(readModel);
        await UnparkAsync(readModel);

        Assert.Equal(0, (await readModel.ReadLaneAsync()).DeadLetters);
    }

    internal static async Task ParkAsync(TestReadModel readModel, params DeadLetterRow[] letters)
    {
        await using var transaction = await readModel.Store.BeginAsync("accounts", 1, default);
        await transaction.ParkAsync(letters, default);
        await transaction.CommitAsync(default);
    }

    private static async Task UnparkAsync(TestReadModel readModel, params long[] orderings)
    {
        await using var transaction = await readModel.Store.BeginAsync("accounts", 1, default);
        await transaction.UnparkAsync("a", orderings, default);
        await transaction.CommitAsync(default);
    }

    private static object Flat(DeadLetterRow letter) => new
    {
        letter.Stored.PersistenceId,
        letter.Stored.SequenceNumber,
        letter.Stored.Ordering,
        letter.Stored.Timestamp,
        Payload = Convert.ToHexString(letter.Stored.Payload.Span),
        letter.Stored.SerializerId,
        letter.Stored.Manifest,
        Tags = letter.Stored.Tags.ToArray(),
        letter.Error,
        letter.Attempts,
    };
}
