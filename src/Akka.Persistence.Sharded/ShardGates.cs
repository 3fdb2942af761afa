using Akka.Actor;
using Throttled.Journal.Database;

namespace Akka.Persistence.Sharded;

/// <summary>
/// Forwards messages to a shard only after a probe has shown that the database is that shard's. During a probe, messages wait
/// in order. If the database is unavailable, they fail, and the next message starts another probe. Not thread-safe: its actor
/// calls it.
/// </summary>
/// <remarks>
/// No shard gets a message before each database was probed once. With a wrong map, an empty database would get events of ids
/// whose other events are in another database. If one probe finds a wrong map, all messages fail for good. An unavailable
/// database counts as probed.
/// </remarks>
internal sealed class ShardGates
{
    private readonly ShardGateCallbacks _callbacks;
    private readonly Gate[] _gates;
    private readonly Queue<PendingRequest>[] _waiting;
    private readonly Exception?[] _closed;
    private readonly bool[] _isStarted;
    private int _unknown;

    /// <param name="canProbe">
    /// For each shard, whether its database can be probed; if not, its messages are forwarded without a probe.
    /// </param>
    /// <param name="callbacks">The actions on messages and shards.</param>
    internal ShardGates(IReadOnlyList<bool> canProbe, ShardGateCallbacks callbacks)
    {
        _callbacks = callbacks;
        _gates = [.. canProbe.Select(can => can ? Gate.Unknown : Gate.Open)];
        _waiting = [.. canProbe.Select(_ => new Queue<PendingRequest>())];
        _closed = new Exception?[canProbe.Count];
        _isStarted = new bool[canProbe.Count];
        _unknown = canProbe.Count(can => can);
    }

    private enum Gate
    {
        Unknown,
        Probing,
        Open,
        Unavailable,
    }

    /// <summary>Probes every database that can be probed.</summary>
    internal void Start()
    {
        for (var shard = 0; shard < _gates.Length; shard++)
        {
            if (_gates[shard] == Gate.Unknown)
                _callbacks.Probe(shard);
        }
        LetThrough();
    }

    internal void Take(int shard, PendingRequest request)
    {
        if (_closed[shard] is { } cause)
            _callbacks.Refuse(request, cause);
        else if (_unknown == 0 && _gates[shard] == Gate.Open)
            _callbacks.Forward(shard, request);
        else
            Wait(shard, request);
    }

    /// <param name="shard">The shard that was probed.</param>
    /// <param name="error">Null if the database is the shard's.</param>
    internal void Probed(int shard, Exception? error)
    {
        if (_gates[shard] == Gate.Unknown)
            _unknown--;
        _gates[shard] = error is null ? Gate.Open : Gate.Unavailable;
        if (error is ShardMarkException)
            CloseAll(error);
        else if (error is not null)
            Refuse(shard, error);
        LetThrough();
    }

    /// <summary>Fails all waiting messages.</summary>
    internal void RefuseAll(Exception cause)
    {
        for (var shard = 0; shard < _gates.Length; shard++)
            Refuse(shard, cause);
    }

    /// <summary>Ends forwarding to a shard, for good.</summary>
    internal void Close(int shard, Exception cause)
    {
        _closed[shard] ??= cause;
        Refuse(shard, _closed[shard]!);
    }

    private void Wait(int shard, PendingRequest request)
    {
        _waiting[shard].Enqueue(request);
        if (_gates[shard] != Gate.Unavailable)
            return;
        _gates[shard] = Gate.Probing;
        _callbacks.Probe(shard);
    }

    private void CloseAll(Exception cause)
    {
        for (var shard = 0; shard < _gates.Length; shard++)
            Close(shard, cause);
    }

    private void LetThrough()
    {
        for (var shard = 0; _unknown == 0 && shard < _gates.Length; shard++)
        {
            if (_gates[shard] == Gate.Open && _closed[shard] is null)
                LetThrough(shard);
        }
    }

    private void LetThrough(int shard)
    {
        if (!_isStarted[shard])
            _callbacks.Open(shard);
        _isStarted[shard] = true;
        // If a shard could not be started, it is closed now, and its waiting messages were refused.
        while (_waiting[shard].TryDequeue(out var request))
            _callbacks.Forward(shard, request);
    }

    private void Refuse(int shard, Exception cause)
    {
        while (_waiting[shard].TryDequeue(out var request))
            _callbacks.Refuse(request, cause);
    }
}

internal readonly record struct PendingRequest(object Message, IActorRef Sender);

/// <summary>The actions of <see cref="ShardGates"/>.</summary>
internal sealed record ShardGateCallbacks
{
    /// <summary>Starts the write journal of a shard; called once for each, before its first message.</summary>
    internal required Action<int> Open { get; init; }

    /// <summary>Forwards a message to the write journal of a shard.</summary>
    internal required Action<int, PendingRequest> Forward { get; init; }

    /// <summary>Answers a message with a failure.</summary>
    internal required Action<PendingRequest, Exception> Refuse { get; init; }

    /// <summary>Probes a shard's database. The result goes to <see cref="ShardGates.Probed"/>.</summary>
    internal required Action<int> Probe { get; init; }
}
