using Throttled.Journal.Database;

namespace Akka.Persistence.Query.Throttled.Writing;

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
    private readonly GateKeeper _keeper;
    private readonly Gate[] _gates;
    private readonly Queue<Letter>[] _waiting;
    private readonly Exception?[] _closed;
    private readonly bool[] _isStarted;
    private int _unseen;

    /// <param name="canLook">Of each shard, whether its database can be probed; where it cannot, messages go through.</param>
    /// <param name="keeper">What is done.</param>
    internal ShardGates(IReadOnlyList<bool> canLook, GateKeeper keeper)
    {
        _keeper = keeper;
        _gates = [.. canLook.Select(can => can ? Gate.Unseen : Gate.Open)];
        _waiting = [.. canLook.Select(_ => new Queue<Letter>())];
        _closed = new Exception?[canLook.Count];
        _isStarted = new bool[canLook.Count];
        _unseen = canLook.Count(can => can);
    }

    private enum Gate
    {
        Unseen,
        LookedAt,
        Open,
        Away,
    }

    /// <summary>Probes every database that can be probed.</summary>
    internal void Start()
    {
        for (var shard = 0; shard < _gates.Length; shard++)
        {
            if (_gates[shard] == Gate.Unseen)
                _keeper.Look(shard);
        }
        LetThrough();
    }

    internal void Take(int shard, Letter letter)
    {
        if (_closed[shard] is { } cause)
            _keeper.Refuse(letter, cause);
        else if (_unseen == 0 && _gates[shard] == Gate.Open)
            _keeper.Forward(shard, letter);
        else
            Wait(shard, letter);
    }

    /// <param name="shard">The shard that was probed.</param>
    /// <param name="error">Null where the database is the shard's.</param>
    internal void Looked(int shard, Exception? error)
    {
        if (_gates[shard] == Gate.Unseen)
            _unseen--;
        _gates[shard] = error is null ? Gate.Open : Gate.Away;
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

    private void Wait(int shard, Letter letter)
    {
        _waiting[shard].Enqueue(letter);
        if (_gates[shard] != Gate.Away)
            return;
        _gates[shard] = Gate.LookedAt;
        _keeper.Look(shard);
    }

    private void CloseAll(Exception cause)
    {
        for (var shard = 0; shard < _gates.Length; shard++)
            Close(shard, cause);
    }

    private void LetThrough()
    {
        for (var shard = 0; _unseen == 0 && shard < _gates.Length; shard++)
        {
            if (_gates[shard] == Gate.Open && _closed[shard] is null)
                LetThrough(shard);
        }
    }

    private void LetThrough(int shard)
    {
        if (!_isStarted[shard])
            _keeper.Open(shard);
        _isStarted[shard] = true;
        // Who cannot be opened is closed by then, and those that waited were refused.
        while (_waiting[shard].TryDequeue(out var letter))
            _keeper.Forward(shard, letter);
    }

    private void Refuse(int shard, Exception cause)
    {
        while (_waiting[shard].TryDequeue(out var letter))
            _keeper.Refuse(letter, cause);
    }
}
