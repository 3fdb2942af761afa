using System.Diagnostics;
using Akka.Actor;
using DigitalTwins.Devices;
using DigitalTwins.Settings;

namespace DigitalTwins.Load;

/// <summary>Sends requests to random devices: 75 % reads and 25 % updates. Each client sends its next request when the last one was answered.</summary>
internal sealed class LoadGenerator(TwinsSettings settings, IActorRef devices)
{
    private const double ShareOfReads = 0.75;
    private const int Attempts = 8;

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);

    private readonly string[] _ids = [.. Enumerable.Range(0, settings.Devices).Select(DeviceIds.Of)];
    private readonly long[] _answered = new long[settings.Devices];
    private int _awake;
    private volatile LoadWindow _window = new();
    private volatile bool _isOver;

    /// <summary>Devices that have answered once.</summary>
    internal int Awake => Volatile.Read(ref _awake);

    /// <summary>The requests of now.</summary>
    internal LoadWindow Window => _window;

    /// <summary>The answered updates of each device, also those of the warm-up.</summary>
    internal Dictionary<string, long> Answered => _ids.Zip(_answered).ToDictionary(each => each.Item1, each => each.Item2);

    /// <summary>Sends a read to each device, so that all are in memory.</summary>
    internal async Task WakeAsync(CancellationToken cancellation)
    {
        await Parallel.ForEachAsync(_ids, new ParallelOptions { MaxDegreeOfParallelism = settings.Clients, CancellationToken = cancellation }, async (id, token) =>
        {
            await WakeAsync(id, token);
            Interlocked.Increment(ref _awake);
        });
    }

    // While shards move to a node that has just come up, a message may be lost. A read can be repeated.
    private async Task WakeAsync(string id, CancellationToken cancellation)
    {
        for (var attempt = 1; ; attempt++)
        {
            try
            {
                await devices.Ask<Answer>(new Read(id), TimeSpan.FromSeconds(15), cancellation);
                return;
            }
            catch (AskTimeoutException) when (attempt < Attempts)
            {
            }
        }
    }

    /// <summary>Sends requests for the warm-up and the time.</summary>
    /// <param name="began">Called after the warm-up.</param>
    /// <returns>The requests after the warm-up.</returns>
    internal async Task<LoadWindow> RunAsync(Action began, CancellationToken cancellation)
    {
        var clients = Task.WhenAll(Enumerable.Range(0, settings.Clients).Select(_ => Task.Run(() => SendAsync(cancellation), CancellationToken.None)));
        try
        {
            await WaitAsync(clients, settings.WarmUp, cancellation);
            _window = new();
            began();
            await WaitAsync(clients, settings.Time, cancellation);
            return _window.Close();
        }
        finally
        {
            _isOver = true;
            await clients;
        }
    }

    private static async Task WaitAsync(Task clients, TimeSpan time, CancellationToken cancellation)
    {
        await Task.WhenAny(clients, Task.Delay(time, cancellation));
        cancellation.ThrowIfCancellationRequested();
    }

    private async Task SendAsync(CancellationToken cancellation)
    {
        while (!_isOver && !cancellation.IsCancellationRequested)
        {
            var number = Random.Shared.Next(_ids.Length);
            var isRead = Random.Shared.NextDouble() < ShareOfReads;
            IToDevice request = isRead ? new Read(_ids[number]) : new Update(_ids[number], Updated.RandomPayload());
            var sent = Stopwatch.GetTimestamp();
            try
            {
                await devices.Ask<Answer>(request, Timeout, cancellation);
                (isRead ? _window.Reads : _window.Writes).Add(Stopwatch.GetElapsedTime(sent));
                if (!isRead)
                    Interlocked.Increment(ref _answered[number]);
            }
            catch (AskTimeoutException)
            {
                _window.Fail();
            }
            catch (OperationCanceledException)
            {
                return;
            }
        }
    }
}
