namespace Throttled.Projections.Tests.Merging;

internal sealed record Change(
    string Id, string? Owner = null, string? Note = null, long? Delta = null, long? Seen = null, long? Born = null,
    bool IsDeleted = false, bool IsReplaced = false);

/// <summary>A table as the changes must leave it, computed with a dictionary.</summary>
internal sealed class MergeModel
{
    private readonly SortedDictionary<string, Change> _rows = new(StringComparer.Ordinal);

    internal static Change[] Draw(Random random) =>
    [
        .. Enumerable.Range(0, 8).Where(_ => random.Next(2) == 0).OrderBy(_ => random.Next()).Select(key => new Change(
            $"k{key}", Text(random), Text(random), Number(random), Number(random), Number(random), random.Next(5) == 0, random.Next(5) == 0)),
    ];

    internal void Apply(IEnumerable<Change> changes)
    {
        foreach (var change in changes)
            Apply(change);
    }

    internal IEnumerable<string> Rows() => _rows.Values.Select(row => $"{row.Id}|{row.Owner}|{row.Note}|{row.Delta}|{row.Seen}|{row.Born}");

    private void Apply(Change change)
    {
        var old = _rows.GetValueOrDefault(change.Id);
        _rows.Remove(change.Id);
        if (change.IsDeleted)
            return;
        if (change.IsReplaced || old is null)
            old = new(change.Id);
        _rows[change.Id] = new(
            change.Id,
            change.Owner ?? old.Owner,
            change.Note,
            (old.Delta ?? 0) + (change.Delta ?? 0),
            new[] { old.Seen, change.Seen }.Max(),
            new[] { old.Born, change.Born }.Min());
    }

    private static string? Text(Random random) => random.Next(3) == 0 ? null : $"text {random.Next(10)}";

    private static long? Number(Random random) => random.Next(3) == 0 ? null : random.Next(-10, 10);
}
