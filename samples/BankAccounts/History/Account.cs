using BankAccounts.Domain;

namespace BankAccounts.History;

/// <summary>An account as its events make it, one after the other; nothing of the projection is used.</summary>
internal sealed class Account(string id)
{
    internal string Id { get; } = id;

    internal string? Owner { get; private set; }

    /// <summary>In cents.</summary>
    internal long Balance { get; private set; }

    /// <summary>How many events it has, which is its last sequence number too.</summary>
    internal int Events { get; private set; }

    internal bool IsClosed { get; private set; }

    /// <exception cref="ArgumentOutOfRangeException">It is no event of an account.</exception>
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
                throw new ArgumentOutOfRangeException(nameof(change), change, "It is no event of an account.");
        }
    }
}
