namespace Throttled.Journal.Diagnostics;

/// <summary>Levels that the loop sets and anyone may read.</summary>
/// <param name="bufferedBytes">Reads the bytes of all rows in memory. Called on any thread.</param>
internal sealed class JournalGauges(Func<long> bufferedBytes)
{
    private long _permitsUsed;
    private long _waiting;
    private long _following;
    private long _lagging;

    internal long PermitsUsed => Interlocked.Read(ref _permitsUsed);

    internal long Waiting => Interlocked.Read(ref _waiting);

    internal long Following => Interlocked.Read(ref _following);

    internal long Lagging => Interlocked.Read(ref _lagging);

    internal long BufferedBytes => bufferedBytes();

    internal void SetPermitsUsed(long value) => Volatile.Write(ref _permitsUsed, value);

    internal void SetWaiting(long value) => Volatile.Write(ref _waiting, value);

    internal void AddFollowing(int change) => Volatile.Write(ref _following, _following + change);

    internal void AddLagging(int change) => Volatile.Write(ref _lagging, _lagging + change);
}
