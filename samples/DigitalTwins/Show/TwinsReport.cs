using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using DigitalTwins.Load;
using DigitalTwins.ReadModel;
using DigitalTwins.Settings;

namespace DigitalTwins.Show;

/// <summary>Requests of one kind.</summary>
internal sealed record RequestReport(long Count, double PerSecond, double P50Ms, double P99Ms, double MaxMs)
{
    internal static RequestReport Of(LatencyCounts counts, double seconds) =>
        new(counts.Count, counts.Count / seconds, counts.Percentile(0.5), counts.Percentile(0.99), counts.Percentile(1));
}

internal sealed record TwinsReport
{
    private static readonly JsonSerializerOptions Format = new(JsonSerializerDefaults.Web)
    {
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public string Verdict => Show.Verdict.Of(this);

    public required int Nodes { get; init; }
    public required int Databases { get; init; }
    public required int Devices { get; init; }
    public required int Clients { get; init; }
    public required double CommitDelayMs { get; init; }
    public required int Batch { get; init; }
    public required int Writers { get; init; }

    /// <summary>How long requests were counted.</summary>
    public required double Seconds { get; init; }
    public required double PerSecond { get; init; }
    public required RequestReport Reads { get; init; }
    public required RequestReport Writes { get; init; }

    /// <summary>Requests that were not answered in time.</summary>
    public required long Failed { get; init; }

    /// <summary>The most writes per second that the slowed commits allow; null if commits are not slowed.</summary>
    public double? CommitLimit { get; init; }

    /// <summary>The processors of the machine, and how many of them were busy: with the nodes, with this process, and with all processes.</summary>
    public required int Processors { get; init; }
    public required double NodesBusy { get; init; }
    public required double GeneratorBusy { get; init; }
    public double? MachineBusy { get; init; }

    /// <summary>Updates in the journal and in the read model, with those of the warm-up.</summary>
    public required long JournalUpdates { get; init; }
    public required long ReadModelUpdates { get; init; }

    /// <summary>Devices whose number of updates or last value is not that of the journal.</summary>
    public required int DifferentDevices { get; init; }

    /// <summary>Answered updates that the journal does not have.</summary>
    public required long LostUpdates { get; init; }

    /// <summary>From the last request until the read model had all updates.</summary>
    public required double ReadModelSeconds { get; init; }

    /// <summary>The last warnings and errors of the nodes.</summary>
    public IReadOnlyList<string>? Warnings { get; init; }

    [JsonIgnore]
    public bool IsReadModelRight => JournalUpdates == ReadModelUpdates && DifferentDevices == 0;

    [JsonIgnore]
    public bool IsFlawless => Failed == 0 && LostUpdates == 0 && Reads.Count + Writes.Count > 0 && IsReadModelRight;

    internal static TwinsReport Of(TwinsSettings settings, LoadWindow load, ProcessorUse used, ReadModelResult readModel, IReadOnlyList<string> warnings)
    {
        var seconds = load.Time.TotalSeconds;
        return new()
        {
            Nodes = settings.Nodes,
            Databases = settings.Databases,
            Devices = settings.Devices,
            Clients = settings.Clients,
            CommitDelayMs = settings.CommitDelay.TotalMilliseconds,
            Batch = settings.Batch,
            Writers = settings.Writers,
            Seconds = seconds,
            PerSecond = (load.Reads.Count + load.Writes.Count) / seconds,
            Reads = RequestReport.Of(load.Reads, seconds),
            Writes = RequestReport.Of(load.Writes, seconds),
            Failed = load.Failed,
            CommitLimit = settings.CommitLimit,
            Processors = Environment.ProcessorCount,
            NodesBusy = used.Nodes / seconds,
            GeneratorBusy = used.Generator / seconds,
            MachineBusy = used.Machine / seconds,
            JournalUpdates = readModel.Journal,
            ReadModelUpdates = readModel.ReadModel,
            DifferentDevices = readModel.Different,
            LostUpdates = readModel.Lost,
            ReadModelSeconds = readModel.Seconds,
            Warnings = warnings.Count > 0 ? warnings : null,
        };
    }

    internal string ToJson() => JsonSerializer.Serialize(this, Format);
}
