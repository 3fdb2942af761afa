using BankAccounts.Domain;

namespace BankAccounts.Handlers;

/// <summary>The combined effect of several events on an account.</summary>
internal sealed class AccountChange(string id)
{
    internal string Id { get; } = id;

    /// <summary>Null if the account was not opened by these events.</summary>
    internal string? Owner { get; private set; }

    internal long Cents { get; private set; }

    internal int Events { get; private set; }

    internal bool IsClosed { get; private set; }

    internal void Add(object change)
    {
        Events++;
        switch (change)
        {
            case AccountOpened opened:
                Owner = opened.Owner;
                break;
            case AccountCredited credited:
                Cents += credited.Cents;
                break;
            case AccountDebited debited:
                Cents -= debited.Cents;
                break;
            case AccountClosed:
                IsClosed = true;
                break;
        }
    }
}
