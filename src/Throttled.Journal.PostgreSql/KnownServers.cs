using System.Globalization;

namespace Throttled.Journal.PostgreSql;

/// <summary>
/// The servers to which the connections of one journal led. A connection string may lead to another server at a failover, and calls move there
/// together, when the engine knows. Where it leads to two servers in turn, as a load balancer does, a query would read a page of one up to where
/// the other ended, and skip what the first has not replayed yet; that is refused. Thread-safe.
/// </summary>
internal sealed class KnownServers(TimeProvider clock)
{
    // Shorter than the default of 'FatalGrace': an address that flaps once fails no stream.
    private static readonly TimeSpan ProofHolds = TimeSpan.FromSeconds(30);

    private readonly Lock _lock = new();
    private readonly Dictionary<string, ServerIdentity> _met = new(StringComparer.Ordinal);
    private string? _accepted;
    private ServerIdentity? _last;
    private long _lastAt;
    private (ServerIdentity Left, ServerIdentity CameBack)? _turns;
    private long _turnedAt;

    /// <summary>Whether it is in doubt to which server new connections lead, so that a probe has to open one.</summary>
    internal bool IsDoubted
    {
        get
        {
            lock (_lock)
                return ProvedTurns is not null || (_accepted is not null && _last?.Name != _accepted);
        }
    }

    private (ServerIdentity Left, ServerIdentity CameBack)? ProvedTurns => IsRecent(_turnedAt) ? _turns : null;

    /// <summary>From now on calls are to run on this server.</summary>
    internal void Accept(string name)
    {
        lock (_lock)
            _accepted = name;
    }

    /// <summary>Whether calls may run on a server.</summary>
    internal bool Accepts(ServerIdentity server)
    {
        lock (_lock)
            return _accepted is null || server.Name == _accepted;
    }

    /// <summary>A connection was opened, or a pooler has run a statement.</summary>
    /// <param name="server">The server that answered.</param>
    /// <param name="isProbe">Whether it may be another one than before.</param>
    /// <exception cref="OtherServerException">It is not a probe, and another server is read.</exception>
    /// <exception cref="SeveralServersException">It is a probe, and connections led to two servers in turn a moment ago.</exception>
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

    // A server that takes part in a failover does not come back as it was: it is started anew before.
    private void Note(ServerIdentity server)
    {
        if (_last is { } last && last.Name != server.Name && _met.ContainsKey(server.Name) && IsRecent(_lastAt))
            (_turns, _turnedAt) = ((last, server), clock.GetTimestamp());
        _met[server.Name] = server;
        (_last, _lastAt) = (server, clock.GetTimestamp());
    }

    private bool IsRecent(long at) => clock.GetElapsedTime(at) < ProofHolds;
}

/// <summary>Which server it is, from its start to its end.</summary>
/// <param name="Name">
/// When it was started, in microseconds since 1970: no two servers share it. The address would not do, because one server may have several.
/// </param>
/// <param name="Address">Where it listens, as it says itself; for messages.</param>
internal sealed record ServerIdentity(string Name, string Address)
{
    public override string ToString() => long.TryParse(Name, CultureInfo.InvariantCulture, out var microseconds)
        ? string.Create(CultureInfo.InvariantCulture, $"{Address}, started {DateTime.UnixEpoch.AddMicroseconds(microseconds):yyyy-MM-dd HH:mm:ss} UTC")
        : Address;
}

/// <summary>A connection leads to another server than the one that is read. It may have taken its place; a probe tells.</summary>
internal sealed class OtherServerException(ServerIdentity server, ServerIdentity? accepted) : Exception(
    server.Address == accepted?.Address
        ? $"The server was started again ({server}), and has not been probed since."
        : $"The connection leads to another server ({server}) than the one that is read ({accepted?.ToString() ?? "unknown"}).");

/// <summary>The connection string leads to several servers in turn.</summary>
internal sealed class SeveralServersException(ServerIdentity one, ServerIdentity other) : Exception(
    $"The connection string leads to several servers in turn ({one}; {other}). A query that changes between them would skip events that one of them "
    + "has not replayed yet. Name one server; with several hosts, set 'Target Session Attributes' to primary; behind a load balancer, use an address that "
    + "leads to one server at a time, such as that of the primary.");
