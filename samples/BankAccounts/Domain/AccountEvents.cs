namespace BankAccounts.Domain;

/// <summary>An account was opened, with a balance of 0.</summary>
internal sealed record AccountOpened(string Owner);

/// <summary>Money came in.</summary>
/// <param name="Cents">The amount in cents; above 0.</param>
/// <param name="IsPoison">Whether handlers fail on the event until they run with <c>--mended</c>, to try dead letters.</param>
internal sealed record AccountCredited(long Cents, bool IsPoison = false);

/// <summary>Money went out.</summary>
/// <param name="Cents">The amount in cents; above 0.</param>
internal sealed record AccountDebited(long Cents);

/// <summary>The last event of an account.</summary>
internal sealed record AccountClosed;
