using Throttled.Journal.Database;
using Throttled.Journal.Rows;

namespace Throttled.Testing.Scripted;

/// <summary>Runs a statement in journal order on the in-memory journal. It sees one state of the journal.</summary>
/// <param name="random">Chooses whether rows without the tag are added too, if they may be; null for none.</param>
internal sealed class ScriptedOrder(ScriptedJournal journal, OrderedRows rows, TagMode mode, Random? random)
{
    private readonly List<(long Ordering, ScriptedRow? Row)> _rows = [];

    internal void AddTo(ScriptedCall call)
    {
        call.Then(See);
        call.Then(Read);
        if (rows.Tags is not null && mode == TagMode.TagTable)
            call.Then(Tag);
    }

    private void See()
    {
        foreach (var row in journal.Between(rows.After, rows.UpTo).Where(IsWanted))
            _rows.Add((row.Ordering, row.DeletedAt is null ? row : null));
        if (rows.Tags is not null && mode == TagMode.TagTable)
            _rows.AddRange(journal.Orphans(rows.After, rows.UpTo).Select(ordering => (ordering, (ScriptedRow?)null)));
        _rows.Sort((one, other) => one.Ordering.CompareTo(other.Ordering));
    }

    // A tag table may ignore the case of tags. A scan may return rows without the tag.
    private bool IsWanted(ScriptedRow row) =>
        rows.Tags is not { } tags
        || row.Has(tags, StringComparer.OrdinalIgnoreCase)
        || (mode == TagMode.Csv && random?.Next(3) == 0);

    private void Read()
    {
        foreach (var (ordering, row) in _rows)
        {
            if (row is { IsPoisoned: true })
                throw new ScriptedFault(FaultKind.Unreadable);
            var isTagged = rows.Tags is null || mode == TagMode.Csv;
            if (row is null ? !rows.AddDeleted(ordering) : !rows.Add(row.ToEvent(isTagged)))
                return;
        }
    }

    private void Tag()
    {
        foreach (var row in rows.EventsFrom(0))
            row.Tag(_rows.Single(each => each.Ordering == row.Ordering).Row!.Tags);
    }
}
