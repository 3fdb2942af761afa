using System.Data.Common;

namespace CrushTest.Floor;

/// <summary>What the floor reads: all events of all ids.</summary>
/// <param name="Connections">Connections that may read at once.</param>
internal sealed record FloorPlan(string[] Ids, int Page, int Connections)
{
    /// <summary>Number of databases that are read at once, and share the cores.</summary>
    internal int Databases { get; init; } = 1;

    /// <summary>Ids per statement, as many as in the engine.</summary>
    internal const int IdsPerStatement = 100;

    /// <summary>Limits the connections to a useful number.</summary>
    /// <param name="most">Connections that keep the machine busy, over all databases.</param>
    internal FloorPlan On(int most) => this with { Connections = Math.Clamp(most / Databases, 1, Connections) };
}

/// <summary>
/// Reads the same rows with the bare driver: only the statements, without permits, feeds, order or followers. One hundred ids
/// share a statement, and each id is read page by page until a page is short. It reads every column that the engine reads, into
/// one object per row.
/// </summary>
internal interface IFloor
{
    Task<long> ReadAllAsync(CancellationToken cancellation);
}

/// <summary>The floors of several databases at once, each with its own ids.</summary>
internal sealed class ShardedFloor(IReadOnlyList<IFloor> floors) : IFloor
{
    public async Task<long> ReadAllAsync(CancellationToken cancellation) =>
        (await Task.WhenAll(floors.Select(floor => floor.ReadAllAsync(cancellation)))).Sum();
}

/// <summary>One row, with the columns that the engine reads besides the persistence id.</summary>
internal sealed record FloorRow(
    long Ordering, bool IsDeleted, long SequenceNumber, long Timestamp, byte[] Payload, int? SerializerId, string Manifest)
{
    internal static string Columns(JournalTables tables) =>
        $"{tables.OrderingColumn}, {tables.DeletedColumn}, {tables.SequenceNumberColumn}, {tables.TimestampColumn}, "
        + $"{tables.PayloadColumn}, {tables.SerializerIdColumn}, {tables.ManifestColumn}";

    /// <summary>Reads <see cref="Columns"/>, beginning at a column.</summary>
    internal static FloorRow Read(DbDataReader row, int first) => new(
        row.GetInt64(first),
        row.GetBoolean(first + 1),
        row.GetInt64(first + 2),
        row.GetInt64(first + 3),
        row.GetFieldValue<byte[]>(first + 4),
        row.IsDBNull(first + 5) ? null : row.GetInt32(first + 5),
        row.IsDBNull(first + 6) ? "" : row.GetString(first + 6));

    /// <summary>Reads a page of each member. Returns the number of rows of each; a member with a full page has more.</summary>
    internal static async Task<int[]> ReadPagesAsync(
        DbCommand command, List<FloorRow> rows, int members, Func<DbDataReader, long> memberOf, CancellationToken cancellation)
    {
        rows.Clear();
        var counts = new int[members];
        await using var row = await command.ExecuteReaderAsync(cancellation);
        while (await row.ReadAsync(cancellation))
        {
            counts[memberOf(row)]++;
            rows.Add(Read(row, 1));
        }
        return counts;
    }
}

/// <summary>Gives each connection the next hundred ids.</summary>
internal sealed class IdQueue(string[] ids)
{
    private int _taken;

    internal ArraySegment<string>? Next()
    {
        var first = Interlocked.Add(ref _taken, FloorPlan.IdsPerStatement) - FloorPlan.IdsPerStatement;
        return first < ids.Length ? new(ids, first, Math.Min(FloorPlan.IdsPerStatement, ids.Length - first)) : null;
    }
}
