namespace Throttled.Journal.Sql;

/// <summary>The session's connection broke in the middle of a statement; what broke it is the inner exception.</summary>
internal sealed class StatementLostException(LostStatement statement, Exception inner)
    : Exception(inner.Message, inner)
{
    internal LostStatement Statement => statement;
}
