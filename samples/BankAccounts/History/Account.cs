using BankAccounts.Domain;

namespace BankAccounts.History;

/// <summary>An account, computed from its events one by one, without any code of the projection.</summary>
internal sealed class Account(string id)
{
    internal string Id { get; } = id;

    internal string? Owner { get; private set; }

    /// <summary>In cents.</summary>
    internal long Balance { get; private set; }

    /// <summary>The number of its events, which is also its last sequence number.</summary>
    internal int Events { get; private set; }

    internal bool IsClosed { get; private set; }

    /// <exception cref="ArgumentOutOfRangeException">The change is not an event of an account.</exception>
    internal void Apply(object change)
    {
        Events++;
        switch (change)
        {
            case AccountOpened opened:
                Owner = opened.Owner;
                break;
            case AccountCredited credited:
                Balance += credited.Cents;
                break;
            case AccountDebited debited:
                Balance -= debited.Cents;
                break;
            case AccountClosed:
                IsClosed = true;
                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(change), change, "It is not an event of an account.");
        }
    }
}
