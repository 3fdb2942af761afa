namespace Throttled.Journal.Faults;

/// <summary>Cancels outside the loop, because a driver may open a connection to do it and block meanwhile.</summary>
internal sealed class Cancellation(CancellationTokenSource source) : IThreadPoolWorkItem
{
    // Who cancels waits for the end of the statement all the same; an exception here would end the process.
    public void Execute()
    {
        try
        {
            source.Cancel();
        }
        catch (Exception error) when (error is AggregateException or ObjectDisposedException)
        {
        }
    }
}
