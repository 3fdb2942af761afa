using BankAccounts.Domain;
using Throttled.Journal;

namespace BankAccounts.History;

/// <summary>All accounts, recomputed plainly: one event after the other into a dictionary.</summary>
internal static class Recomputation
{
    /// <param name="events">In the order of the journal.</param>
    internal static Dictionary<string, Account> Of(IEnumerable<JournalEvent> events)
    {
        var accounts = new Dictionary<string, Account>(StringComparer.Ordinal);
        foreach (var each in events)
            Apply(accounts, each);
        return accounts;
    }

    /// <summary>Those of a journal, up to its end now.</summary>
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
