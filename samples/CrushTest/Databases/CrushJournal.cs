using System.Data.Common;
using CrushTest.Floor;
using CrushTest.Settings;
using Throttled.Journal;

namespace CrushTest.Databases;

/// <summary>The journal under the crush test: as many databases as are configured, often one.</summary>
internal sealed class CrushJournal : IAsyncDisposable
{
    private readonly ShardMap _map;

    private CrushJournal(IReadOnlyList<ICrushDatabase> databases) => (Databases, _map) = (databases, ShardMap.Even(databases.Count));

    /// <summary>In the order of the shards.</summary>
    internal IReadOnlyList<ICrushDatabase> Databases { get; }

    /// <summary>As the report names the databases.</summary>
    internal string Name => Databases[0].Name;

    internal string Tables => string.Join(", ", Databases.Select(database => database.Tables.JournalTable));

    /// <summary>The databases that the settings name.</summary>
    /// <exception cref="CrushException">A connection string cannot be used, or two name the same database.</exception>
    internal static CrushJournal Open(CrushSettings settings)
    {
        List<ICrushDatabase> databases = [];
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

    /// <summary>The raw floor.</summary>
    internal IFloor OpenFloor(FloorPlan plan)
    {
        var ids = plan.Ids.ToLookup(_map.ShardOf);
        return new ShardedFloor(
            [.. Databases.Select((database, shard) => database.OpenFloor(plan with { Ids = [.. ids[shard]], Databases = Databases.Count }))]);
    }

    /// <summary>What there is; null where a table is not there.</summary>
    internal async Task<JournalSize?> SizeAsync(CancellationToken cancellation)
    {
        var sizes = await OnEachAsync(database => database.SizeAsync(cancellation));
        return sizes.Contains(null) ? null : new(sizes.Sum(size => size!.Events), sizes.Max(size => size!.LastSequenceNumber));
    }

    internal Task DropAsync(CancellationToken cancellation) => OnEachAsync(database => database.DropAsync(cancellation));

    /// <inheritdoc cref="ICrushDatabase.SettleAsync"/>
    internal Task SettleAsync(CancellationToken cancellation) => OnEachAsync(database => database.SettleAsync(cancellation));

    /// <inheritdoc cref="ICrushDatabase.DeletePastAsync"/>
    internal Task DeletePastAsync(int sequenceNumber, CancellationToken cancellation) =>
        OnEachAsync(database => database.DeletePastAsync(sequenceNumber, cancellation));

    /// <inheritdoc cref="ICrushDatabase.CountStatementsAsync"/>
    internal async Task<IStatementCount?> CountStatementsAsync(CancellationToken cancellation)
    {
        var counts = await OnEachAsync(database => database.CountStatementsAsync(cancellation));
        return counts.Contains(null) ? null : new ShardedCount(counts!);
    }

    /// <inheritdoc cref="ICrushDatabase.Explain"/>
    internal CrushException Explain(DbException error) => Databases is [var only]
        ? only.Explain(error)
        : new($"One of the databases failed. See its log, and let one run at a time use them. It says: {Sentence.Of(error.Message)}", error);

    public async ValueTask DisposeAsync()
    {
        foreach (var database in Databases)
            await database.DisposeAsync();
    }

    private Task OnEachAsync(Func<ICrushDatabase, Task> run) => OnEachAsync(async database =>
    {
        await run(database);
        return true;
    });

    private Task<T[]> OnEachAsync<T>(Func<ICrushDatabase, Task<T>> run) => Task.WhenAll(Databases.Select(async database =>
    {
        try
        {
            return await run(database);
        }
        catch (DbException error)
        {
            // Here it is known which one it was.
            throw database.Explain(error);
        }
    }));
}
