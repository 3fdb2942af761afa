using DigitalTwins.Devices;
using Throttled.Projections;

namespace DigitalTwins.ReadModel;

/// <summary>The read model: the number of updates and the last value of each device.</summary>
internal sealed class DeviceTotals : BatchHandler
{
    /// <summary>The projection's name, which is also the table's.</summary>
    internal const string Name = "device_totals";

    private static readonly MergeTable<DeviceTotal> Table = new MergeTable<DeviceTotal>()
        .Key("device", total => total.Device)
        .Add("updates", total => total.Updates)
        .Set("last_value", total => total.LastValue);

    /// <summary>Creates the empty table: when the projection is new, and when it is reset.</summary>
    public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken)
    {
        var table = ReadModelDatabase.Quote(scope.Version);
        return scope.ExecuteAsync(
            $"CREATE TABLE IF NOT EXISTS {table} (device VARCHAR(100) PRIMARY KEY, updates BIGINT NOT NULL, last_value BIGINT NOT NULL); DELETE FROM {table}",
            cancellationToken);
    }

    /// <summary>All events of a batch become one row per device. The transaction that writes the rows also stores the offset.</summary>
    public override Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
    {
        var totals = batch.Fold<string, DeviceTotal>(
            device => new(device), (all, each) => all[each.PersistenceId].Add((Updated)each.Payload));
        return Table.WriteAsync(batch, batch.Version, totals, cancellationToken);
    }

    private sealed class DeviceTotal(string device)
    {
        public string Device { get; } = device;

        public long Updates { get; private set; }

        public long LastValue { get; private set; }

        public void Add(Updated updated) => (Updates, LastValue) = (Updates + 1, updated.Value);
    }
}
