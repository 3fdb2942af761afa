namespace Throttled.Journal.Sharding.Moving;

/// <summary>A journal cannot be divided anew as it was asked for; the message says what to do.</summary>
internal sealed class ReshardException(string message, Exception? inner = null) : Exception(message, inner);
