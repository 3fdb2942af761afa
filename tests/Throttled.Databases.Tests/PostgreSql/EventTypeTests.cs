using System.Globalization;
using Throttled.Journal.Rows;
using static Throttled.Journal.PostgreSql.Tests.TestJournal;

namespace Throttled.Journal.PostgreSql.Tests;

/// <summary>A row whose event type the statement names has NULL in place of it.</summary>
public class EventTypeTests
{
    private static readonly int?[] Serializers = [7, 0, -1, null, int.MinValue, int.MaxValue];
    private static readonly string?[] Manifests =
        ["", null, "A", "a", ":", "-", "7:A", "é😀", new('x', 251), new('x', 254), new('x', 255), new('x', 256), new('y', 3000)];

    [PostgreSqlFact]
    public async Task Each_event_has_its_own_type_whatever_type_its_statement_names()
    {
        await using var journal = await CreateAsync();
        await IgnoreCaseAsync(journal);
        var seed = Random.Shared.Next();
        var random = new Random(seed);
        var types = Enumerable.Range(0, 300).Select(_ => Next(random)).ToArray();
        await journal.AppendAsync([.. types.Select((_, i) => Event("a", i + 1))]);
        await journal.ExecuteAsync($"UPDATE journal j SET deleted = t.d, identifier = t.s, manifest = t.m FROM (VALUES {string.Join(", ", types.Select(Row))}) "
            + "AS t (n, d, s, m) WHERE j.sequence_number = t.n");

        // Each statement names another type: the last one that a row of the statement before had.
        for (var from = 1; from <= types.Length; from += random.Next(1, 40))
        {
            var page = Assert.Single(await journal.ReadAsync(new ByIdRequest("a", new(from, from + 20), 500)))!.Value.Page;
            Check(types, Enumerable.Range(0, page?.Count ?? 0).Select(i => page![i]!), from, from + 20, seed);
            var ordered = await journal.ReadOrderedAsync(new(500, long.MaxValue, false), new OrderedRequest(EventFilter.All, from - 1, from + 20, 500));
            Check(types, Events(ordered.Results[0]), from, from + 20, seed);
        }
    }

    [PostgreSqlFact]
    public async Task A_manifest_that_is_equal_in_the_collation_of_its_column_is_another_type()
    {
        await using var journal = await CreateAsync();
        await IgnoreCaseAsync(journal);
        await journal.AppendAsync("a", 2);
        await journal.ExecuteAsync("UPDATE journal SET manifest = upper(manifest) WHERE sequence_number = 2");
        for (var i = 0; i < 2; i++)
        {
            var first = await journal.ReadAsync(new ByIdRequest("a", new(1, 1), 9));
            var second = await journal.ReadAsync(new ByIdRequest("a", new(2, 2), 9));
            Assert.Equal(["some-manifest", "SOME-MANIFEST"], first.Concat(second).Select(page => page!.Value.Page![0]!.Manifest));
        }
    }

    [PostgreSqlFact]
    public async Task Events_of_a_type_share_its_manifest_across_statements()
    {
        await using var journal = await CreateAsync();
        await journal.AppendAsync("a", 2);
        var first = Assert.Single(await journal.ReadAsync(Ask("a")))!.Value.Page!;
        var second = Assert.Single(await journal.ReadAsync(Ask("a")))!.Value.Page!;
        Assert.Equal("some-manifest", first[0]!.Manifest);
        Assert.Same(first[0]!.Manifest, first[1]!.Manifest);
        Assert.Same(first[0]!.Manifest, second[1]!.Manifest);
    }

    private static Task IgnoreCaseAsync(TestJournal journal) => journal.ExecuteAsync(
        """
        CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
        ALTER TABLE journal ALTER manifest TYPE varchar(3000) COLLATE any_case
        """);

    private static void Check((bool Deleted, int? Serializer, string? Manifest)[] types, IEnumerable<JournalEvent> read, int from, int to, int seed) =>
        Assert.True(
            Enumerable.Range(from, Math.Min(to, types.Length) - from + 1).Where(n => !types[n - 1].Deleted)
                .Select(n => ((long)n, types[n - 1].Serializer, types[n - 1].Manifest ?? ""))
                .SequenceEqual(read.Select(row => (row.SequenceNumber, row.SerializerId, row.Manifest))),
            $"Seed {seed}, events {from} to {to}.");

    // A type often stays for some events, and there are more types than are kept.
    private static (bool Deleted, int? Serializer, string? Manifest) Next(Random random) => random.Next(10) switch
    {
        0 => (true, 7, "A"),
        < 5 => (false, 7, "A"),
        5 => (false, 7, $"Type{random.Next(100)}"),
        _ => (false, Serializers[random.Next(Serializers.Length)], Manifests[random.Next(Manifests.Length)]),
    };

    private static string Row((bool Deleted, int? Serializer, string? Manifest) type, int index) => string.Create(
        CultureInfo.InvariantCulture,
        $"({index + 1}, {type.Deleted}, ({type.Serializer?.ToString(CultureInfo.InvariantCulture) ?? "NULL"})::int, {(type.Manifest is null ? "NULL" : $"'{type.Manifest}'")})");
}
