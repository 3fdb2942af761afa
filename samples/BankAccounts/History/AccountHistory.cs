using BankAccounts.Domain;
using Throttled.Journal;

namespace BankAccounts.History;

/// <summary>
/// Generates the events of accounts: first all accounts are opened, then each event is of a random open account. So the events
/// of an account are spread over the journal, and their order does not make merging easy.
/// </summary>
internal sealed class AccountHistory
{
    private const int MostCents = 100_000;

    private readonly HistoryShape _shape;
    private readonly double _closing;
    private readonly List<Account> _open;
    // The seed fixes its sequence: https://learn.microsoft.com/dotnet/api/system.random.-ctor
    private readonly Random _random;
    private int _opened;

    /// <param name="before">The accounts that exist already; null for none.</param>
    internal AccountHistory(HistoryShape shape, IReadOnlyCollection<Account>? before = null)
    {
        _shape = shape;
        _random = new(shape.Seed);
        _opened = before?.Count ?? 0;
        _open = [.. (before ?? []).Where(account => !account.IsClosed).OrderBy(account => account.Id, StringComparer.Ordinal)];
        var moves = shape.Events - Math.Max(0, shape.Accounts - _opened);
        _closing = moves > 0 ? Math.Min(1, shape.Closed * shape.Accounts / moves) : 0;
    }

    /// <summary>The persistence id of an account. Like numbers of real accounts, they do not follow one another, so they spread over all slices.</summary>
    /// <param name="number">From 0, in the order in which accounts were opened.</param>
    internal static string IdOf(int number) => FormattableString.Invariant($"account-{number * 7901L % 100_000_000:D8}");

    internal IEnumerable<JournalEvent> All()
    {
        for (var i = 0; i < _shape.Events; i++)
            yield return Next();
    }

    private JournalEvent Next() => _opened < _shape.Accounts || _open.Count == 0 ? Open() : Move(_random.Next(_open.Count));

    private JournalEvent Open()
    {
        var account = new Account(IdOf(_opened));
        _open.Add(account);
        return Store(account, new AccountOpened(FormattableString.Invariant($"owner {_opened++}")));
    }

    private JournalEvent Move(int place)
    {
        var account = _open[place];
        if (_open.Count > 1 && _random.NextDouble() < _closing)
        {
            (_open[place], _open[^1]) = (_open[^1], _open[place]);
            _open.RemoveAt(_open.Count - 1);
            return Store(account, new AccountClosed());
        }
        if (account.Balance > 1 && _random.Next(3) == 0)
            return Store(account, new AccountDebited(_random.NextInt64(1, account.Balance)));
        return Store(account, new AccountCredited(_random.Next(1, MostCents), _shape.Poison > 0 && _random.NextDouble() < _shape.Poison));
    }

    private static JournalEvent Store(Account account, object change)
    {
        account.Apply(change);
        return AccountFormat.Store(account.Id, account.Events, change);
    }
}
