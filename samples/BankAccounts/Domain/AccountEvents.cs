namespace BankAccounts.Domain;

/// <summary>An account is there from now on, with a balance of 0.</summary>
internal sealed record AccountOpened(string Owner);

/// <summary>Money came in.</summary>
/// <param name="Cents">How much; above 0.</param>
/// <param name="IsPoison">Whether handlers refuse the event until they are mended: for trying dead letters.</param>
internal sealed record AccountCredited(long Cents, bool IsPoison = false);

/// <summary>Money went out.</summary>
/// <param name="Cents">How much; above 0.</param>
internal sealed record AccountDebited(long Cents);

/// <summary>The last event of an account.</summary>
internal sealed record AccountClosed;
