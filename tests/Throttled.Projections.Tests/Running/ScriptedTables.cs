using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

/// <summary>The tables of projections in memory, with the database's clock.</summary>
internal sealed class ScriptedTables(FakeClock clock)
{
    private readonly List<(CommandRow Row, string Name, CommandState State, string? Result)> _commands = [];

    internal Dictionary<string, ScriptedVersion> Versions { get; } = [];

    internal Dictionary<string, TimeSpan> Processes { get; } = [];

    /// <summary>The number of moves that were refused because another runner had changed the lane.</summary>
    internal int Fenced { get; private set; }

    /// <summary>Told of each move that was accepted: its slices, and from where to where.</summary>
    internal Action<SliceRange, long, long>? Moved { get; set; }

    internal TimeSpan Now => clock.Now;

    internal CommandRow Command(CommandVerb verb, string version, long? ordering = null, long? timestamp = null, string? id = null, int? lanes = null)
    {
        CommandRow row = new(_commands.Count + 1, version, verb) { Ordering = ordering, Timestamp = timestamp, PersistenceId = id, Lanes = lanes };
        Command(row);
        return row;
    }

    internal void Command(CommandRow row) => _commands.Add((row, "p", CommandState.Waiting, null));

    internal (CommandState State, string? Result) Became(CommandRow command)
    {
        var (_, _, state, result) = _commands.Single(each => each.Row.Id == command.Id);
        return (state, result);
    }

    internal void End(CommandRow command, CommandState state, string? result)
    {
        var index = _commands.FindIndex(each => each.Row.Id == command.Id);
        if (_commands[index].State != CommandState.Waiting)
            throw new FencedException("The command has ended already.");
        _commands[index] = _commands[index] with { State = state, Result = result };
    }

    internal bool IsWaiting(CommandRow command) => Became(command).State == CommandState.Waiting;

    internal ProjectionSnapshot Read(string name, int limit) => new(
        [.. Of(name).Select(version => version.Row)],
        [.. Of(name).SelectMany(version => version.Lanes.Select(lane => lane.Row(version.Row.Version, Now)))],
        [.. Processes.Where(process => process.Value > Now).Select(process => process.Key).Order(StringComparer.Ordinal)],
        [.. Waiting(name, ofLane: false).Take(limit), .. Waiting(name, ofLane: true).Take(limit)]);

    internal void Change(string version, Func<VersionRow, VersionRow> change) => Versions[version].Row = change(Versions[version].Row);

    /// <summary>A lane's transaction.</summary>
    internal void Move(string version, long epoch, SliceRange slices, long from, long to)
    {
        var at = Versions.GetValueOrDefault(version);
        if (at is null || at.Row.Epoch != epoch || Enumerable.Range(slices.First, slices.Count).Any(slice => at.At[slice] != from))
        {
            Fenced++;
            throw new FencedException("The row has changed.");
        }
        for (var slice = slices.First; slice <= slices.Last; slice++)
            at.At[slice] = to;
        Moved?.Invoke(slices, from, to);
    }

    internal LaneCheckpoint ReadLane(string version, SliceRange slices)
    {
        var at = Versions.GetValueOrDefault(version) ?? throw new FencedException("The version does not exist.");
        var rows = Enumerable.Range(slices.First, slices.Count).Select(slice => new SliceOffset(new(slice, slice), at.At[slice], 0));
        return new(at.Row.Epoch, LaneSlices.Merge([.. rows]), [], at.DeadLetters);
    }

    private IEnumerable<CommandRow> Waiting(string name, bool ofLane) => _commands
        .Where(each => each.Name == name && each.State == CommandState.Waiting && each.Row.Verb is (CommandVerb.Retry or CommandVerb.Discard) == ofLane)
        .Select(each => each.Row);

    private IEnumerable<ScriptedVersion> Of(string name) => Versions.Values.Where(version => version.Row.Projection == name);
}

internal sealed class ScriptedVersion(VersionRow row, SliceRange slices)
{
    internal VersionRow Row { get; set; } = row with { JournalEnds = new long[row.Map.Count] };

    internal SliceRange Slices => slices;

    internal int DeadLetters { get; set; }

    internal long[] At { get; } = [.. Enumerable.Range(0, slices.Last + 1).Select(slice => ShardOffsets.Lowest(row.StartOn(row.Map).Rows, new(slice, slice)))];

    internal ScriptedLane[] Lanes { get; private set; } = Divided(slices, row.Layout);

    internal long Lowest => At[slices.First..].Min();

    internal void LayOut(LaneLayout lanes)
    {
        Row = Row with { Lanes = lanes.Lanes, Map = lanes.Map, JournalEnds = new long[lanes.Map.Count], Epoch = Row.Epoch + 1 };
        Lanes = Divided(slices, lanes);
    }

    private static ScriptedLane[] Divided(SliceRange slices, LaneLayout lanes) =>
        [.. lanes.Of(slices).Select((range, lane) => new ScriptedLane(lane, range))];
}

internal sealed class ScriptedLane(int number, SliceRange slices)
{
    internal string? Owner { get; set; }

    internal TimeSpan Until { get; set; }

    internal LaneReport? Report { get; set; }

    internal string? OwnerAt(TimeSpan now) => Until > now ? Owner : null;

    internal LaneRow Row(string version, TimeSpan now) => new(version, new(number, slices.First, slices.Last, OwnerAt(now), Report?.State ?? LaneState.Idle, Report?.Error, 0))
    {
        Expired = OwnerAt(now) is null ? Owner : null,
    };
}
