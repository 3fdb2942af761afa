using Throttled.Journal.Relational;

namespace Throttled.Tool.Reshard;

/// <summary>Reads one old shard once, passes its rows to the new shards that are parts of it, and verifies these.</summary>
internal sealed class SourceRun(SourceRows rows, IShardSnapshot source, IReadOnlyList<ShardPart> parts, MoveProgress progress)
{
    // Each row is read from the old database, and read back from the new one.
    private const int Passes = 2;

    private readonly Dictionary<ShardPart, List<RowSum>> _sums = parts.ToDictionary(part => part, _ => new List<RowSum>());
    private ShardOutcome[] _outcomes = [];

    /// <summary>Finds the tables, and counts their rows.</summary>
    /// <exception cref="ReshardException">A table is missing, or has other columns.</exception>
    internal Task PrepareAsync(CancellationToken cancellation) => rows.PrepareAsync(Passes, cancellation);

    /// <summary>Copies and verifies; commits nothing.</summary>
    internal async Task RunAsync(CancellationToken cancellation)
    {
        IReadOnlyList<TableShape> shapes = [.. rows.Tables.Select(table => table.Shape)];
        var last = await source.LastIssuedAsync(cancellation);
        foreach (var part in parts.Where(part => part.Target is not null))
            await CreateAsync(part, shapes, last, cancellation);
        foreach (var table in rows.Tables)
            await StreamAsync(table, cancellation);
        var outcomes = new ShardOutcome[parts.Count];
        // Each database builds its indexes and is read back in parallel with the others.
        await Parallel.ForAsync(0, parts.Count, cancellation, async (i, stop) =>
            outcomes[i] = await FinishAsync(parts[i], shapes, last, stop));
        _outcomes = outcomes;
    }

    /// <summary>Checks that the old shard has not changed since it was read.</summary>
    /// <exception cref="ReshardException">The old shard has changed.</exception>
    internal async Task CheckUnchangedAsync(CancellationToken cancellation)
    {
        if (await source.ChangeAsync(cancellation) is { } change)
            throw new ReshardException($"The journal was written to meanwhile: {change}. Stop whatever writes to it, and start again; nothing was written.");
    }

    /// <summary>Commits the new shards that have the right rows.</summary>
    internal async Task<IReadOnlyList<ShardOutcome>> CommitAsync(CancellationToken cancellation)
    {
        for (var i = 0; i < parts.Count; i++)
            await CommitAsync(parts[i], _outcomes[i], cancellation);
        return _outcomes;
    }

    private static async Task CreateAsync(ShardPart part, IReadOnlyList<TableShape> shapes, long last, CancellationToken cancellation)
    {
        await RefuseStartedAsync(part, last, cancellation);
        // The mark comes first: a database with another mark is refused, and the mark shows that the rows were copied on purpose.
        await part.Target!.MarkAsync(part.Identity, cancellation);
        foreach (var shape in shapes)
            await part.Target.CreateAsync(shape, cancellation);
    }

    // The application has started on the new database, and its events were deleted. Its orderings must not be issued again.
    private static async Task RefuseStartedAsync(ShardPart part, long last, CancellationToken cancellation)
    {
        if (await part.Target!.ReadMarkAsync(cancellation) is null)
            return;
        var given = await part.Target.LastIssuedAsync(cancellation);
        if (given > last)
            throw new ReshardException(FormattableString.Invariant(
                $"{part.Name} is marked and has no rows, but has issued orderings up to {given}, and the old journal only up to {last}: ")
                + "the application has started on it, and after a copy it would issue these again. Use the database as it is, or give another, empty database.");
    }

    private async Task StreamAsync((TableShape Shape, long Rows) table, CancellationToken cancellation)
    {
        Dictionary<int, IRowWriter?> writers = [];
        try
        {
            foreach (var part in parts)
                writers.Add(part.Identity.Shard, part.Target is { } target ? await target.WriteAsync(table.Shape, cancellation) : null);
            var sums = await rows.StreamAsync(table, parts[0].Identity.Map, writers, cancellation);
            foreach (var part in parts)
                _sums[part].Add(sums[part.Identity.Shard]);
        }
        finally
        {
            foreach (var writer in writers.Values.OfType<IRowWriter>())
                await writer.DisposeAsync();
        }
    }

    private async Task<ShardOutcome> FinishAsync(ShardPart part, IReadOnlyList<TableShape> shapes, long last, CancellationToken cancellation)
    {
        if (part.Target is { } target)
        {
            progress.Say($"{Named(part)}indexes are made, and all is read back");
            await target.CompleteAsync(shapes, last, cancellation);
        }
        List<TableOutcome> outcomes = [];
        for (var i = 0; i < shapes.Count; i++)
            outcomes.Add(await CheckAsync(part, shapes[i], _sums[part][i], cancellation));
        var given = await part.Rows.LastIssuedAsync(cancellation);
        var fault = await FaultAsync(part, given, last, cancellation);
        var isEqual = fault is null && outcomes.TrueForAll(each => each.Fault is null);
        var state = !isEqual ? ShardState.Differs : part.Target is null ? ShardState.Kept : ShardState.Written;
        return new(part.Identity, state, outcomes, fault, given > last);
    }

    private async Task<TableOutcome> CheckAsync(ShardPart part, TableShape shape, RowSum sum, CancellationToken cancellation)
    {
        var read = progress.Of($"{Named(part)}{shape.Table.Name} is read back", sum.Rows);
        using var check = new RowCheck(part.Identity.Slices, read);
        var counted = await part.Rows.CountAsync(shape.Table, cancellation);
        if (counted > 0)
            await part.Rows.ScanAsync(shape, check, cancellation);
        var found = await check.CompleteAsync(cancellation);
        read.Complete();
        // If only one way of reading finds a row, the row is in the table or in an index, but not in both.
        return new(shape.Table.Name, sum, found with { Rows = found.Rows == sum.Rows ? counted : found.Rows }, check.Strays);
    }

    private static async Task<string?> FaultAsync(ShardPart part, long issued, long last, CancellationToken cancellation)
    {
        var mark = await part.Rows.ReadMarkAsync(cancellation);
        if (part.Identity.IsOneOfSeveral && mark != new ShardMark(part.Identity.Shard, part.Identity.Map.ToString()))
            return $"{part.Name} {(mark is null ? "has no mark, so nothing was copied to it; correct --to, or copy" : $"{ShardPart.Marked(mark)}; correct the order of --to, or --slices")}";
        return issued >= last ? null : FormattableString.Invariant(
            $"its next ordering would be {issued + 1}, and must be above {last}, the last that the journal issued");
    }

    private async Task CommitAsync(ShardPart part, ShardOutcome outcome, CancellationToken cancellation)
    {
        if (part.Target is not { } target)
            return;
        if (outcome.State == ShardState.Written)
            await target.CommitAsync(cancellation);
        progress.Say(Named(part) + (outcome.State == ShardState.Written ? "written" : "not written, because what was read back differs"));
    }

    private static string Named(ShardPart part) => part.Identity.IsOneOfSeveral ? ShardIdentity.PrefixOf(part.Identity) : "Shard 0: ";
}
