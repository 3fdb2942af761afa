namespace Throttled.Journal.Sql;

/// <summary>Sequence numbers of one persistence id, both ends included; empty where <see cref="From"/> is above <see cref="To"/>.</summary>
internal readonly record struct SequenceRange(long From, long To)
{
    internal bool IsEmpty => From > To;
}
