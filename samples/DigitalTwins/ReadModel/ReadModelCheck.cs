using System.Diagnostics;
using Dapper;
using DigitalTwins.Databases;
using DigitalTwins.Devices;
using Npgsql;

namespace DigitalTwins.ReadModel;

/// <summary>A device as the journal or the read model has it.</summary>
internal sealed record DeviceRow(string Device, long Updates, long LastValue);

/// <summary>How the read model compares with the journal.</summary>
/// <param name="Different">Devices whose updates or last value differ.</param>
/// <param name="Lost">Answered updates that the journal does not have.</param>
/// <param name="Seconds">How long after the last request the read model was up to date.</param>
internal sealed record ReadModelResult(long Journal, long ReadModel, int Different, long Lost, double Seconds)
{
    internal static ReadModelResult Of(IReadOnlyCollection<DeviceRow> journal, IReadOnlyCollection<DeviceRow> readModel, IReadOnlyDictionary<string, long> answered, TimeSpan waited)
    {
        var updates = journal.ToDictionary(row => row.Device, row => row.Updates);
        return new(
            journal.Sum(row => row.Updates),
            readModel.Sum(row => row.Updates),
            journal.Except(readModel).Concat(readModel.Except(journal)).Select(row => row.Device).Distinct().Count(),
            answered.Sum(each => Math.Max(0, each.Value - updates.GetValueOrDefault(each.Key))),
            waited.TotalSeconds);
    }
}

/// <summary>Compares the read model with the journal, with SQL of its own.</summary>
internal sealed class ReadModelCheck(TwinDatabases databases)
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(60);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(200);

    /// <summary>Waits until the read model has all updates, but not for ever.</summary>
    /// <param name="answered">The answered updates of each device.</param>
    internal async Task<ReadModelResult> RunAsync(IReadOnlyDictionary<string, long> answered, CancellationToken cancellation)
    {
        var waited = Stopwatch.StartNew();
        while (await UpdatesAsync(cancellation) < await JournalUpdatesAsync(cancellation) && waited.Elapsed < Patience)
            await Task.Delay(Pause, cancellation);
        var time = waited.Elapsed;
        return ReadModelResult.Of(await JournalAsync(cancellation), await ReadModelAsync(cancellation), answered, time);
    }

    /// <summary>Updates in the read model so far.</summary>
    internal async Task<long> UpdatesAsync(CancellationToken cancellation) =>
        (await QueryAsync<long>(databases.ReadModel, $"SELECT coalesce(sum(updates), 0)::bigint FROM {DeviceTotals.Name}", cancellation)).Single();

    private async Task<List<DeviceRow>> ReadModelAsync(CancellationToken cancellation) =>
        [.. await QueryAsync<DeviceRow>(databases.ReadModel, $"SELECT device, updates, last_value AS LastValue FROM {DeviceTotals.Name}", cancellation)];

    private async Task<long> JournalUpdatesAsync(CancellationToken cancellation)
    {
        var all = 0L;
        foreach (var journal in databases.Journals)
            all += (await QueryAsync<long>(journal, "SELECT count(*) FROM journal", cancellation)).Single();
        return all;
    }

    private async Task<List<DeviceRow>> JournalAsync(CancellationToken cancellation)
    {
        const string sql = "SELECT DISTINCT ON (persistence_id) persistence_id AS Device, count(*) OVER (PARTITION BY persistence_id) AS Updates, message AS Payload "
            + "FROM journal ORDER BY persistence_id, sequence_number DESC";
        List<DeviceRow> rows = [];
        foreach (var journal in databases.Journals)
            rows.AddRange((await QueryAsync<LastEvent>(journal, sql, cancellation)).Select(last => new DeviceRow(last.Device, last.Updates, Updated.ValueOf(last.Payload))));
        return rows;
    }

    private static async Task<IEnumerable<T>> QueryAsync<T>(string database, string sql, CancellationToken cancellation)
    {
        await using var source = NpgsqlDataSource.Create($"{database};Pooling=false");
        await using var connection = await source.OpenConnectionAsync(cancellation);
        return await connection.QueryAsync<T>(new CommandDefinition(sql, cancellationToken: cancellation));
    }

    private sealed record LastEvent(string Device, long Updates, byte[] Payload);
}
