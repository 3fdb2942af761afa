namespace Throttled.Journal.Permits;

/// <summary>
/// A limit from outside the engine, for example one process's share of a budget. It counts the permits that are held, so its owner knows when a lower
/// limit has taken effect. At first no statement may start. Thread-safe.
/// </summary>
internal sealed class PermitCeiling
{
    private readonly Lock _lock = new();
    private CeilingUse? _use;
    private Action? _changed;
    private volatile int _perSecond;
    private volatile int _permits;

    /// <summary>Statements that may run at once; 0: none may start.</summary>
    internal int Permits => _permits;

    /// <summary>Statements that may start per second; 0: no limit.</summary>
    internal int PerSecond => _perSecond;

    /// <summary>The permits that are held now.</summary>
    internal int Held
    {
        get
        {
            lock (_lock)
                return _use?.Held ?? 0;
        }
    }

    /// <summary>Sets the limits. Permits above a lower limit are not revoked.</summary>
    internal void Set(int permits, int perSecond)
    {
        Action? changed;
        lock (_lock)
        {
            if (permits == _permits && perSecond == _perSecond)
                return;
            (_permits, _perSecond) = (permits, perSecond);
            changed = _changed;
        }
        changed?.Invoke();
    }

    /// <summary>Counts the permits of a new ledger. Those of an earlier one are forgotten: its engine has ended, and its statements too.</summary>
    internal CeilingUse Open()
    {
        lock (_lock)
            return _use = new(this);
    }

    /// <summary>Sets what is called after each change, on the thread of the change. An earlier callback is replaced.</summary>
    internal void OnChange(Action changed)
    {
        lock (_lock)
            _changed = changed;
    }

    /// <summary>The permits that one ledger holds.</summary>
    internal sealed class CeilingUse(PermitCeiling ceiling)
    {
        /// <summary>Changed under the lock of the ceiling.</summary>
        internal int Held { get; private set; }

        /// <returns>Whether the ceiling has room for one more permit.</returns>
        internal bool TryTake()
        {
            lock (ceiling._lock)
            {
                if (Held >= ceiling._permits)
                    return false;
                Held++;
                return true;
            }
        }

        internal void Return()
        {
            lock (ceiling._lock)
                Held--;
        }
    }
}
