using Throttled.Projections.Databases;

namespace Throttled.Projections.Tables;

/// <summary>
/// The waiting commands of a projection, as far as a process knows them, in the order of their ids. A reading costs the database the same however many wait: the
/// first page, the page after the last known command, and another page in turn. So the process gets to know one page with each reading, and then all.
/// It knows the first <see cref="MaxKnown"/>. The others are read when commands before them have ended.
/// </summary>
/// <param name="Known">No command with a lower id than the last one is missing, unless it was committed late.</param>
/// <param name="Cursor">The id after which the next page in turn begins.</param>
internal sealed record CommandBacklog(IReadOnlyList<CommandRow> Known, long Cursor)
{
    /// <summary>The number of commands that are read at once.</summary>
    internal const int Page = 1_000;

    /// <summary>The number of commands that are kept in memory.</summary>
    internal const int MaxKnown = 100_000;

    private const int MaxChecks = 3;

    internal static CommandBacklog Empty { get; } = new([], 0);

    /// <summary>Reads what has changed since the last reading, and the commands that can be executed now.</summary>
    internal async Task<(CommandBacklog Next, IReadOnlyList<CommandRow> Commands)> ReadAsync(
        DatabaseTransaction transaction, string name, int limit, IReadOnlyList<VersionRow> versions, IReadOnlyList<LaneRow> lanes)
    {
        var next = await NextAsync(after => CommandTable.PageAsync(transaction, name, after, Page)).ConfigureAwait(false);
        var choice = new CommandChoice(versions, lanes, limit);
        var chosen = choice.Of(next.Known);
        if (next.Known.Count < Page)
            return (next, chosen);
        for (var checks = 1; ; checks++)
        {
            // Those that were not read this time may have ended. Then others take their places.
            var waiting = await CommandTable.WaitingAsync(transaction, chosen).ConfigureAwait(false);
            var ended = chosen.Where(command => !waiting.Contains(command.Id)).ToHashSet();
            if (ended.Count == 0)
                return (next, chosen);
            next = next with { Known = [.. next.Known.Where(command => !ended.Contains(command))] };
            if (checks == MaxChecks)
                return (next, [.. chosen.Where(command => !ended.Contains(command))]);
            chosen = choice.Of(next.Known);
        }
    }

    /// <param name="page">Reads a page of the commands after an id.</param>
    internal async Task<CommandBacklog> NextAsync(Func<long, Task<List<CommandRow>>> page)
    {
        var first = await page(0).ConfigureAwait(false);
        if (first.Count < Page)
            return new(first, 0);
        var known = With(Known, 0, first);
        if (known.Count < MaxKnown)
            known = With(known, known[^1].Id, await page(known[^1].Id).ConfigureAwait(false));
        // Commands in the middle end, or were committed late.
        var cursor = Math.Max(Cursor, first[^1].Id);
        var middle = await page(cursor).ConfigureAwait(false);
        known = [.. With(known, cursor, middle).Take(MaxKnown)];
        return new(known, middle.Count < Page || middle[^1].Id >= known[^1].Id ? 0 : middle[^1].Id);
    }

    // The page has all commands after an id, up to its last one or to the end.
    private static List<CommandRow> With(IReadOnlyList<CommandRow> known, long after, List<CommandRow> page)
    {
        var last = page.Count < Page ? long.MaxValue : page[^1].Id;
        return [.. known.TakeWhile(command => command.Id <= after), .. page, .. known.SkipWhile(command => command.Id <= last)];
    }
}

/// <summary>
/// Chooses the commands that can be executed now: first those for the leader, then those for lanes, at most <c>limit</c> of each. Each lane has an equal share
/// of the latter, so a lane that hangs hides no command of another. Commands of a persistence id stay in their order. Ids with a discard come first, because
/// retries may take long. Pure.
/// </summary>
internal sealed class CommandChoice(IReadOnlyList<VersionRow> versions, IReadOnlyList<LaneRow> lanes, int limit)
{
    private readonly Dictionary<string, VersionRow> _versions = versions.ToDictionary(version => version.Version, StringComparer.Ordinal);
    private readonly ILookup<string, LaneRow> _lanes = lanes.ToLookup(lane => lane.Version, StringComparer.Ordinal);

    internal IReadOnlyList<CommandRow> Of(IReadOnlyList<CommandRow> waiting)
    {
        var ofLanes = waiting.Where(command => IsOfLane(command) && !IsPaused(command)).ToList();
        var discarded = ofLanes.Where(command => command.Verb == CommandVerb.Discard).Select(IdOf).ToHashSet();
        return
        [
            .. waiting.Where(command => !IsOfLane(command)).Take(limit),
            .. ofLanes.GroupBy(LaneOf).SelectMany(lane => ByUrgency(lane).Take(ShareOf(lane.Key.Version))).OrderBy(Urgency).ThenBy(command => command.Id),
        ];

        IEnumerable<CommandRow> ByUrgency(IEnumerable<CommandRow> commands) => commands.OrderBy(Urgency).ThenBy(command => command.Id);

        int Urgency(CommandRow command) => discarded.Contains(IdOf(command)) ? 0 : 1;
    }

    private static bool IsOfLane(CommandRow command) => command.Verb is CommandVerb.Retry or CommandVerb.Discard;

    // Nobody reads a retired version, so its commands are refused although it is paused.
    private bool IsPaused(CommandRow command) => _versions.GetValueOrDefault(command.Version) is { IsPaused: true, Role: not VersionRole.Retired };

    private int ShareOf(string version) => 1 + ((limit - 1) / (_versions.GetValueOrDefault(version)?.Lanes ?? 1));

    private (string Version, int? Lane) LaneOf(CommandRow command)
    {
        int? slice = command.PersistenceId is { } id ? JournalSlices.Of(id) : null;
        return (command.Version, _lanes[command.Version].FirstOrDefault(lane => slice is { } one && lane.Slices.Contains(one))?.Lane);
    }

    private static (string Version, string? PersistenceId) IdOf(CommandRow command) => (command.Version, command.PersistenceId);
}
