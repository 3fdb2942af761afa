namespace Throttled.Journal.SqlServer;

/// <summary>Tags of events as rows of <see cref="SqlServerStaging.Tags"/>: number of the event from 1, tag. A tag twice on one event has one row.</summary>
internal sealed class TagRows(IReadOnlyCollection<JournalEvent> events) : BulkRows
{
    private readonly IEnumerator<(long Number, string Tag)> _tags = Tags(events).GetEnumerator();

    public override int FieldCount => 2;

    public override bool Read() => _tags.MoveNext();

    public override object GetValue(int ordinal) => ordinal switch
    {
        0 => _tags.Current.Number,
        1 => _tags.Current.Tag,
        _ => throw new ArgumentOutOfRangeException(nameof(ordinal)),
    };

    private static IEnumerable<(long Number, string Tag)> Tags(IReadOnlyCollection<JournalEvent> events)
    {
        var number = 0L;
        foreach (var each in events)
        {
            number++;
            foreach (var tag in each.Tags.Distinct(StringComparer.Ordinal))
                yield return (number, tag);
        }
    }
}
