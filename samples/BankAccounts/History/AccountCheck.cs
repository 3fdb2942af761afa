using System.Globalization;
using BankAccounts.Databases;
using BankAccounts.Handlers;

namespace BankAccounts.History;

/// <summary>The differences of a read model from a recomputation.</summary>
/// <param name="Accounts">The number of open accounts that should exist.</param>
/// <param name="First">The first ten differences, as text.</param>
internal sealed record Differences(int Accounts, long Count, IReadOnlyList<string> First);

/// <summary>Compares a read model with accounts that were recomputed.</summary>
internal static class AccountCheck
{
    private const int Named = 10;

    /// <param name="table">The table of a version, or the view.</param>
    /// <param name="recomputed">The right accounts. Closed accounts must not be in the table.</param>
    internal static async Task<Differences> RunAsync(
        IBankDatabase database, string table, Dictionary<string, Account> recomputed, CancellationToken cancellation)
    {
        var found = new List<string>();
        var (count, seen) = (0L, new HashSet<string>(StringComparer.Ordinal));
        await foreach (var row in ReadAsync(database, table, cancellation))
        {
            seen.Add(row.Id);
            Note(Difference(row, recomputed.GetValueOrDefault(row.Id)));
        }
        foreach (var missing in recomputed.Values.Where(account => !account.IsClosed && !seen.Contains(account.Id)).OrderBy(account => account.Id, StringComparer.Ordinal))
            Note($"{missing.Id} is missing; it should have {Told(missing.Balance, missing.Events, missing.Owner)}");
        return new(recomputed.Values.Count(account => !account.IsClosed), count, found);

        void Note(string? difference)
        {
            if (difference is not null && count++ < Named)
                found.Add(difference);
        }
    }

    private static string? Difference(AccountRow row, Account? account)
    {
        var has = Told(row.Balance, row.Events, row.Owner);
        if (account is null || account.IsClosed)
            return $"{row.Id} has {has}; it should not be there, because it {(account is null ? "was never opened" : "was closed")}";
        var should = Told(account.Balance, account.Events, account.Owner);
        return has == should ? null : $"{row.Id} has {has}; it should have {should}";
    }

    private static string Told(long cents, long events, string? owner) =>
        FormattableString.Invariant($"a balance of {cents} cents by {events} events and the owner '{owner}'");

    private static async IAsyncEnumerable<AccountRow> ReadAsync(
        IBankDatabase database, string table, [System.Runtime.CompilerServices.EnumeratorCancellation] CancellationToken cancellation)
    {
        await using var open = await database.Source.OpenConnectionAsync(cancellation);
        await using var command = open.CreateCommand();
        command.CommandText = $"{AccountSql.Select(table)} ORDER BY account_id";
        command.CommandTimeout = 0;
        await using var row = await command.ExecuteReaderAsync(cancellation);
        while (await row.ReadAsync(cancellation))
            yield return new(row.GetString(0), row.IsDBNull(1) ? null : row.GetString(1), row.GetInt64(2), Convert.ToInt64(row.GetValue(3), CultureInfo.InvariantCulture));
    }

    private sealed record AccountRow(string Id, string? Owner, long Balance, long Events);
}
