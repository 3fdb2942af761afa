using System.Globalization;

namespace Throttled.Journal.PostgreSql;

/// <summary>
/// The servers to which the connections of one journal led. At a failover, a connection string may lead to another server. The engine then moves all
/// calls together. If a connection string leads to two servers in turn, as with a load balancer, a query would read a page of one server up to the
/// end that it found on the other. It would skip what the first server has not replayed yet, so this is refused. Thread-safe.
/// </summary>
internal sealed class KnownServers(TimeProvider clock)
{
    // Shorter than the default of 'FatalErrorGracePeriod', so an address that changes back and forth once fails no stream.
    private static readonly TimeSpan ProofHolds = TimeSpan.FromSeconds(30);

    private readonly Lock _lock = new();
    private readonly Dictionary<string, ServerIdentity> _met = new(StringComparer.Ordinal);
    private string? _accepted;
    private ServerIdentity? _last;
    private long _lastAt;
    private (ServerIdentity Left, ServerIdentity CameBack)? _turns;
    private long _turnedAt;

    /// <summary>Whether it is unknown to which server new connections lead. A probe then opens a connection.</summary>
    internal bool IsDoubted
    {
        get
        {
            lock (_lock)
                return ProvedTurns is not null || (_accepted is not null && _last?.Name != _accepted);
        }
    }

    private (ServerIdentity Left, ServerIdentity CameBack)? ProvedTurns => IsRecent(_turnedAt) ? _turns : null;

    /// <summary>Calls run on this server from now on.</summary>
    internal void Accept(string name)
    {
        lock (_lock)
            _accepted = name;
    }

    /// <summary>Whether calls may run on this server.</summary>
    internal bool Accepts(ServerIdentity server)
    {
        lock (_lock)
            return _accepted is null || server.Name == _accepted;
    }

    /// <summary>Records the server of a new connection, or of a statement that ran behind a pooler.</summary>
    /// <param name="server">The server that answered.</param>
    /// <param name="isProbe">Whether the server may differ from the one before.</param>
    /// <exception cref="OtherServerException">The call is not a probe, and calls run on another server.</exception>
    /// <exception cref="SeveralServersException">The call is a probe, and connections recently led to two servers in turn.</exception>
    internal void Meet(ServerIdentity server, bool isProbe)
    {
        lock (_lock)
        {
            Note(server);
            if (isProbe && ProvedTurns is { } turns)
                throw new SeveralServersException(turns.Left, turns.CameBack);
            if (!isProbe && _accepted is { } accepted && server.Name != accepted)
                throw new OtherServerException(server, _met.GetValueOrDefault(accepted));
        }
    }

    // After a failover, the old server has another start time if it returns, because it was restarted.
    private void Note(ServerIdentity server)
    {
        if (_last is { } last && last.Name != server.Name && _met.ContainsKey(server.Name) && IsRecent(_lastAt))
            (_turns, _turnedAt) = ((last, server), clock.GetTimestamp());
        _met[server.Name] = server;
        (_last, _lastAt) = (server, clock.GetTimestamp());
    }

    private bool IsRecent(long at) => clock.GetElapsedTime(at) < ProofHolds;
}

/// <summary>One run of a server, from its start to its end.</summary>
/// <param name="Name">
/// The time of its start, in microseconds since 1970; no two servers share it. An address is not enough, because one server may have several.
/// </param>
/// <param name="Address">The address where it listens, as the server reports it; for messages.</param>
internal sealed record ServerIdentity(string Name, string Address)
{
    public override string ToString() => long.TryParse(Name, CultureInfo.InvariantCulture, out var microseconds)
        ? string.Create(CultureInfo.InvariantCulture, $"{Address}, started {DateTime.UnixEpoch.AddMicroseconds(microseconds):yyyy-MM-dd HH:mm:ss} UTC")
        : Address;
}

/// <summary>A connection leads to another server than the one that is read. A probe finds out whether it replaced that server.</summary>
internal sealed class OtherServerException(ServerIdentity server, ServerIdentity? accepted) : Exception(
    server.Address == accepted?.Address
        ? $"The server was restarted ({server}), and no probe has read it since."
        : $"The connection leads to another server ({server}) than the one that is read ({accepted?.ToString() ?? "unknown"}).");

internal sealed class SeveralServersException(ServerIdentity one, ServerIdentity other) : Exception(
    $"The connection string leads to several servers in turn ({one}; {other}). A query that changes between them would skip events that one of them "
    + "has not replayed yet. With several hosts, set 'Target Session Attributes' to primary. Otherwise name one server; behind a load balancer, use the "
    + "address of the primary or of one standby.");
