using Akka.Actor;
using Throttled.Journal.Database;

namespace Akka.Persistence.Sharded;

/// <summary>
/// Forwards nothing to a shard before a probe has shown that the database is that shard's. Messages wait while it is looked at, in their order; they
/// fail where it is away, and the next one has it looked at again. Not thread-safe: its actor is.
/// </summary>
/// <remarks>
/// Nothing goes to any shard before each was looked at once: with a wrong map, an empty database would take events of ids whose others stand
/// elsewhere. One database that says so refuses them all, for good. One that is away has been looked at.
/// </remarks>
internal sealed class ShardGates
{
    private readonly ShardGateCallbacks _callbacks;
    private readonly Gate[] _gates;
    private readonly Queue<PendingRequest>[] _waiting;
    private readonly Exception?[] _closed;
    private readonly bool[] _isStarted;
    private int _unknown;

    /// <param name="canProbe">Of each shard, whether its database can be probed; where it cannot, messages go through.</param>
    /// <param name="callbacks">What is done.</param>
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
    /// <param name="error">Null where the database is the shard's.</param>
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

    /// <summary>Nothing will go through to a shard any more.</summary>
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
        // Who cannot be opened is closed by then, and those that waited were refused.
        while (_waiting[shard].TryDequeue(out var request))
            _callbacks.Forward(shard, request);
    }

    private void Refuse(int shard, Exception cause)
    {
        while (_waiting[shard].TryDequeue(out var request))
            _callbacks.Refuse(request, cause);
    }
}

/// <summary>A message, and who sent it.</summary>
internal readonly record struct PendingRequest(object Message, IActorRef Sender);

/// <summary>What <see cref="ShardGates"/> has done.</summary>
internal sealed record ShardGateCallbacks
{
    /// <summary>Starts the write journal of a shard; once for each, before anything is forwarded to it.</summary>
    internal required Action<int> Open { get; init; }

    /// <summary>Passes a message on to the write journal of a shard.</summary>
    internal required Action<int, PendingRequest> Forward { get; init; }

    /// <summary>Answers a message that it has failed.</summary>
    internal required Action<PendingRequest, Exception> Refuse { get; init; }

    /// <summary>Looks whether a shard's database is that shard's; what it finds is told to <see cref="ShardGates.Probed"/>.</summary>
    internal required Action<int> Probe { get; init; }
}
