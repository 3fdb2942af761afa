namespace BankAccounts.Settings;

/// <summary>Something that whoever started the sample can mend; its message says what and how.</summary>
internal sealed class BankException(string message, Exception? inner = null) : Exception(message, inner);
