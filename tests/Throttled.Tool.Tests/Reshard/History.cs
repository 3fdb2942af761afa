using System.Globalization;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>Journals that have everything that journals have.</summary>
internal static class History
{
    private static readonly string[] Tags = ["blue", "grün", "x\"y"];

    internal static string[] Ids { get; } =
        ["a", "Ärger-€-𝄞", "日本", "x'y\"z;,|", new string('l', 200), .. Enumerable.Range(0, 24).Select(Spread)];

    /// <summary>Makes a journal with deleted rows, gaps, tags, empty, large and missing values.</summary>
    /// <returns>The highest ordering that it ever issued.</returns>
    internal static async Task<long> WriteAsync(ReshardHost host, string database, JournalTables tables, int rounds = 4)
    {
        await using var appender = host.OpenAppender(database, tables);
        await appender.CreateAsync();
        for (var round = 1; round <= rounds; round++)
            await appender.AppendAsync([.. Ids.Select(id => Event(id, round))]);
        var last = Ids.Length * rounds;
        var (ordering, deleted) = (ReshardHost.Quoted(tables.OrderingColumn), ReshardHost.Quoted(tables.DeletedColumn));
        var journal = host.Quoted(tables, tables.JournalTable);
        await host.RunAsync(database, $"""
            UPDATE {journal} SET {deleted} = {host.True} WHERE {ordering} % 7 = 0;
            UPDATE {journal} SET {ReshardHost.Quoted(tables.SerializerIdColumn)} = NULL WHERE {ordering} % 5 = 0;
            UPDATE {journal} SET {ReshardHost.Quoted(tables.ManifestColumn)} = NULL WHERE {ordering} % 11 = 0;
            DELETE FROM {journal} WHERE {ordering} % 13 = 0 OR {ordering} > {last - 2}
            """);
        if (tables.TagMode == TagMode.TagTable)
        {
            ordering = ReshardHost.Quoted(tables.TagOrderingColumn);
            await host.RunAsync(database, $"DELETE FROM {host.Quoted(tables, tables.TagTable)} WHERE {ordering} % 13 = 0 OR {ordering} > {last - 2}");
        }
        return last;
    }

    internal static JournalEvent Event(string id, long number) => new()
    {
        PersistenceId = id,
        SequenceNumber = number,
        Timestamp = 638_000_000_000_000_000 + number,
        Payload = Payload(id, number),
        SerializerId = 3,
        Manifest = number % 2 == 0 ? "" : "Happened, Ünter",
        Tags = number % 2 == 0 ? [] : [.. Tags.Take((id.Length % 3) + 1)],
    };

    // Ids that differ in their end alone are in neighbouring slices.
    private static string Spread(int i) => string.Create(CultureInfo.InvariantCulture, $"{i * 7919 % 1009}-id-{i}");

    // Empty, small, and larger than what is handed on at once.
    private static byte[] Payload(string id, long number)
    {
        var payload = new byte[id == "a" ? 200_000 : number == 3 ? 0 : (id.Length * 7) + (int)number];
        for (var i = 0; i < payload.Length; i++)
            payload[i] = (byte)(i * number);
        return payload;
    }
}
