using BankAccounts.Domain;
using Throttled.Journal;

namespace BankAccounts.History;

/// <summary>Recomputes all accounts: applies one event after the other to a dictionary.</summary>
internal static class Recomputation
{
    /// <param name="events">The events in journal order.</param>
    internal static Dictionary<string, Account> Of(IEnumerable<JournalEvent> events)
    {
        var accounts = new Dictionary<string, Account>(StringComparer.Ordinal);
        foreach (var each in events)
            Apply(accounts, each);
        return accounts;
    }

    /// <summary>Recomputes the accounts of a journal, up to its current end.</summary>
    internal static async Task<Dictionary<string, Account>> OfAsync(JournalReader journal, CancellationToken cancellation)
    {
        var accounts = new Dictionary<string, Account>(StringComparer.Ordinal);
        await foreach (var each in journal.CurrentAllEvents().WithCancellation(cancellation))
            Apply(accounts, each);
        return accounts;
    }

    private static void Apply(Dictionary<string, Account> accounts, JournalEvent stored)
    {
        if (AccountFormat.Decode(stored) is not { } change)
            return;
        if (!accounts.TryGetValue(stored.PersistenceId, out var account))
            accounts.Add(stored.PersistenceId, account = new(stored.PersistenceId));
        account.Apply(change);
    }
}
