using Throttled.Journal.Queries;

namespace Throttled.Journal.Tests.Support;

/// <summary>Enumerates a query without a thread: it is asked whether it has got further.</summary>
internal sealed class PolledReader : IDisposable
{
    private readonly CancellationTokenSource _cancellation = new();
    private readonly EventEnumerator _events;
    private ValueTask<bool>? _waiting;

    internal PolledReader(JournalEngine engine, ByIdQuery query)
    {
        Query = query;
        _events = new(engine, query, _cancellation.Token);
    }

    internal ByIdQuery Query { get; }

    /// <summary>What came so far.</summary>
    internal List<JournalEvent> Events { get; } = [];

    internal IEnumerable<long> SequenceNumbers => Events.Select(row => row.SequenceNumber);

    internal bool IsCompleted { get; private set; }

    internal Exception? Failure { get; private set; }

    internal bool HasEnded => IsCompleted || Failure is not null || IsClosed;

    internal bool IsClosed { get; private set; }

    internal bool IsWaiting => _waiting is { IsCompleted: false };

    /// <summary>Whether <see cref="World.Settle"/> lets it read on.</summary>
    internal bool IsEager { get; set; } = true;

    /// <summary>Takes one event, or asks for it, or learns the end.</summary>
    /// <returns>Whether that got it any further.</returns>
    internal bool Step()
    {
        if (HasEnded || IsWaiting)
            return false;
        var asked = _waiting ?? _events.MoveNextAsync();
        _waiting = asked;
        if (asked.IsCompleted)
            Take(asked);
        return true;
    }

    internal void Cancel() => _cancellation.Cancel();

    public void Dispose()
    {
        IsClosed = true;
        var closing = _events.DisposeAsync();
        Assert.True(closing.IsCompletedSuccessfully);
    }

    /// <summary>The answer that a reader was waiting for when it was disposed of; null while there is none.</summary>
    internal bool? LastAnswer => _waiting is { IsCompletedSuccessfully: true } answer ? answer.Result : null;

    private void Take(ValueTask<bool> answer)
    {
        _waiting = null;
        try
        {
            if (answer.GetAwaiter().GetResult())
                Events.Add(_events.Current);
            else
                IsCompleted = true;
        }
        catch (Exception failure)
        {
            Failure = failure;
        }
    }
}
