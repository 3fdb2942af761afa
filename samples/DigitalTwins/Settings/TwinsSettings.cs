namespace DigitalTwins.Settings;

internal sealed record TwinsSettings
{
    /// <summary>Processes that run devices.</summary>
    public required int Nodes { get; init; }

    /// <summary>PostgreSQL servers among which the journal is divided.</summary>
    public required int Databases { get; init; }

    public required int Devices { get; init; }

    /// <summary>Requests at once: each client sends one after the other.</summary>
    public required int Clients { get; init; }

    /// <summary>How long the requests are counted.</summary>
    public required TimeSpan Time { get; init; }

    /// <summary>The least time of a commit of events; zero for that of the machine.</summary>
    public required TimeSpan CommitDelay { get; init; }

    /// <summary>Events that one transaction may append.</summary>
    public required int Batch { get; init; }

    /// <summary>Transactions at once that append to a database, of all nodes together.</summary>
    public required int Writers { get; init; }

    /// <summary>Whether the result is printed as one line of JSON, without other output.</summary>
    public bool Json { get; init; }

    /// <summary>The load before the requests are counted. It compiles code and opens connections.</summary>
    internal TimeSpan WarmUp => TimeSpan.FromSeconds(Math.Clamp(Time.TotalSeconds / 2, 1, 15));

    /// <summary>The most events that the databases can commit in a second; null if only the machine limits that.</summary>
    internal double? CommitLimit => CommitDelay == TimeSpan.Zero ? null : Databases * Writers * Batch / CommitDelay.TotalSeconds;

    /// <summary>The writers of a node, so that all nodes together have <see cref="Writers"/>.</summary>
    /// <param name="node">From 0.</param>
    internal int WritersOf(int node) => (Writers / Nodes) + (node < Writers % Nodes ? 1 : 0);
}
