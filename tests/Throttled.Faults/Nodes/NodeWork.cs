using System.Text.Json;
using Throttled.Faults.Projections.Bank;

namespace Throttled.Faults.Nodes;

/// <summary>The settings of a node of a cluster, which is a process.</summary>
internal sealed record NodeWork
{
    /// <summary>The name of the actor system.</summary>
    internal const string System = "bank";

    internal const string Feed = "all";

    /// <summary>Statements that all nodes together may run at once, besides one poll of each node.</summary>
    internal const int Budget = 6;

    /// <summary>The begin of the application names of all readers.</summary>
    internal const string Reader = "reader of ";

    public required BankWork Bank { get; init; }

    public required NodeAddress Address { get; init; }

    /// <summary>A node of the cluster, or this one if it is the first.</summary>
    public required NodeAddress Seed { get; init; }

    /// <summary>How long the cluster waits before it downs unreachable nodes.</summary>
    public int StableAfterSeconds { get; init; } = 3;

    /// <summary>Whether the node has the serializers of a later version, and another number of lanes.</summary>
    public bool IsLater { get; init; }

    internal int Lanes => IsLater ? Bank.Lanes + 4 : Bank.Lanes;

    internal string Write() => JsonSerializer.Serialize(this);

    internal static NodeWork Read(string text) => JsonSerializer.Deserialize<NodeWork>(text)!;
}

/// <summary>
/// The address of a node. Other nodes connect to its own host, where a proxy listens (<see cref="NodeNetwork"/>). The node itself listens on 127.0.0.1,
/// on the same port.
/// </summary>
/// <param name="Host">127.0.0.101 to 127.0.0.254. All of these are the loopback interface of Linux.</param>
/// <param name="Port">The port of proxy and node.</param>
internal sealed record NodeAddress(string Host, int Port)
{
    public override string ToString() => FormattableString.Invariant($"akka.tcp://{NodeWork.System}@{Host}:{Port}");
}
