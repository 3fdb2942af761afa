namespace Throttled.Journal.Sql;

/// <summary>
/// A connection could not be opened for a reason that says nothing about any statement: a password provider that failed, a server or a pooler that was
/// not ready. Another attempt may succeed.
/// </summary>
internal sealed class OpeningException(string reason, Exception inner) : Exception($"A connection could not be opened: {reason}", inner);
