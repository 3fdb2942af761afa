namespace Throttled.Simulation;

/// <summary>A query for persistence ids.</summary>
internal sealed class IdsRun(PolledReader<string> reader, bool isLive, ScriptedJournal journal, SimulatedWriters writers)
    : SimulatedReader<string>(reader, journal)
{
    private List<ScriptedRow> _atStart = [];

    protected override string Name => $"persistence ids, live {isLive}";

    protected override bool MustEnd => !isLive;

    protected override void Begin() => _atStart = [.. writers.Committed.Where(row => row.DeletedAt is null && writers.IsOnAll(row))];

    protected override void CheckLast()
    {
        var last = Reader.Items[^1];
        Assert.Contains(writers.Committed, row => row.PersistenceId == last);
        Assert.DoesNotContain(last, Reader.Items.SkipLast(1));
    }

    protected override object? Missing() => (isLive ? writers.Committed : _atStart)
        .FirstOrDefault(row => row.DeletedAt is null && !Reader.Items.Contains(row.PersistenceId))?.PersistenceId;

    protected override bool MayFail() => false;
}
