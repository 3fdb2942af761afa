using System.Buffers;

namespace Throttled.Tool.Tail;

/// <summary>Prints the items of a query when the query has to wait for more, and stores the position of the last printed item.</summary>
internal sealed class Printing(long limit, Stdout output, PositionKeeper? keeper)
{
    private long? _position;

    // The keeper stores what positionOf returns for the last printed item.
    internal async Task RunAsync<T>(
        IAsyncEnumerable<T> query, Action<T, IBufferWriter<byte>> write, Func<T, long> positionOf, CancellationToken cancellation)
    {
        try
        {
            await using var each = query.GetAsyncEnumerator(cancellation);
            for (var count = 0L; count < limit && await NextAsync(each.MoveNextAsync()); count++)
            {
                write(each.Current, output.Lines);
                _position = positionOf(each.Current);
                if (output.IsFull)
                    Print();
            }
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
        }
        finally
        {
            Finish();
        }
    }

    private async ValueTask<bool> NextAsync(ValueTask<bool> next)
    {
        if (next.IsCompleted)
            return await next;
        Print();
        var coming = next.AsTask();
        if (keeper is not null)
            await keeper.WriteWhileWaitingAsync(coming);
        return await coming;
    }

    private void Print()
    {
        output.Flush();
        if (_position is { } position)
            keeper?.Printed(position);
        _position = null;
    }

    private void Finish()
    {
        try
        {
            Print();
        }
        finally
        {
            keeper?.Write();
        }
    }
}
