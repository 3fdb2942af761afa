using System.Data.Common;
using CrushTest.Floor;
using CrushTest.Settings;
using Throttled.Tool.CommandLine;

namespace CrushTest.Databases;

/// <summary>The journal under the crush test, in one database or divided among several.</summary>
internal sealed class CrushJournal
{
    private readonly ShardMap _map;

    private CrushJournal(IReadOnlyList<CrushDatabase> databases) => (Databases, _map) = (databases, ShardMap.Even(databases.Count));

    /// <summary>The databases, in the order of the shards.</summary>
    internal IReadOnlyList<CrushDatabase> Databases { get; }

    internal string Name => Databases[0].Name;

    internal JournalTables Tables => Databases[0].Tables;

    /// <exception cref="CrushException">A connection string cannot be used, or two name the same database.</exception>
    internal static CrushJournal Open(CrushSettings settings)
    {
        List<CrushDatabase> databases = [];
        foreach (var place in settings.Places)
        {
            databases.Add(settings.Kind.Open(place));
            if (databases[..^1].Exists(other => other.Place == databases[^1].Place))
                throw new CrushException($"--connection names {databases[^1].Place} twice; each shard needs a database of its own. Name another.");
        }
        return new(databases);
    }

    internal JournalReader OpenReader(JournalOptions options) =>
        ShardedJournal.OpenReader(Databases, static (database, given) => database.OpenReader(given!), options);

    internal JournalAppender OpenAppender() =>
        ShardedJournal.OpenAppender(Databases, static (database, _) => database.OpenAppender());

    internal IFloor OpenFloor(FloorPlan plan)
    {
        var ids = plan.Ids.ToLookup(_map.ShardOf);
        return new ShardedFloor(
            [.. Databases.Select((database, shard) => database.OpenFloor(plan with { Ids = [.. ids[shard]], Databases = Databases.Count }))]);
    }

    /// <returns>Null if a table does not exist.</returns>
    internal async Task<JournalSize?> SizeAsync(CancellationToken cancellation)
    {
        var sizes = await OnEachAsync(database => database.SizeAsync(cancellation));
        return sizes.Contains(null) ? null : new(sizes.Sum(size => size!.Events), sizes.Max(size => size!.LastSequenceNumber));
    }

    internal Task WarmAsync(CancellationToken cancellation) => OnEachAsync(database => database.WarmAsync(cancellation));

    internal Task DropAsync(CancellationToken cancellation) => OnEachAsync(database => database.DropAsync(cancellation));

    internal Task SettleAsync(CancellationToken cancellation) => OnEachAsync(database => database.SettleAsync(cancellation));

    internal Task DeletePastAsync(int sequenceNumber, CancellationToken cancellation) =>
        OnEachAsync(database => database.DeletePastAsync(sequenceNumber, cancellation));

    internal async Task<IStatementCount?> CountStatementsAsync(CancellationToken cancellation)
    {
        var counts = await OnEachAsync(database => database.CountStatementsAsync(cancellation));
        return counts.Contains(null) ? null : new ShardedCount(counts!);
    }

    internal CommandException Explain(DbException error) => Databases is [var only]
        ? only.Explain(error)
        : new CrushException($"One of the databases failed. See its log, and do not use the databases in two runs at once. It says: {Sentence.Of(error.Message)}", error);

    private Task OnEachAsync(Func<CrushDatabase, Task> run) => OnEachAsync(async database =>
    {
        await run(database);
        return true;
    });

    private Task<T[]> OnEachAsync<T>(Func<CrushDatabase, Task<T>> run) => Task.WhenAll(Databases.Select(async database =>
    {
        try
        {
            return await run(database);
        }
        catch (DbException error)
        {
            // Explain the error here, where it is known which database failed.
            throw database.Explain(error);
        }
    }));
}
