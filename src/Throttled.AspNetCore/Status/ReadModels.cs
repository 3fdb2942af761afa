using Microsoft.Extensions.DependencyInjection;

namespace Throttled.AspNetCore.Status;

/// <summary>The projections of one read model database.</summary>
/// <param name="Projections">The status of each version of each projection, as <c>throttled projections show --json</c> prints it.</param>
/// <param name="Error">Why the database could not be read now; <paramref name="Projections"/> is then the last status that was read. Null if it was read.</param>
internal sealed record ReadModelSnapshot(IReadOnlyList<ProjectionStatus> Projections, string? Error);

/// <summary>
/// The read model databases of the host: the one that is registered as a service, and those of its projections. A database that several projections
/// share counts once.
/// </summary>
internal sealed class ReadModels(IServiceProvider services, TimeProvider time)
{
    // Created in the first read, when all services are registered and the projections are created.
    private readonly Lazy<IReadOnlyList<ReadModelReader>> _readers = new(() => Find(services, time));

    internal int Count => _readers.Value.Count;

    internal ProjectionControl ControlOf(int number, CommandOrigin? origin) => origin is null ? _readers.Value[number].Control : _readers.Value[number].ControlBy(origin);

    internal async Task<IReadOnlyList<ReadModelSnapshot>> StatusAsync() =>
        await Task.WhenAll(_readers.Value.Select(each => each.StatusAsync())).ConfigureAwait(false);

    private static List<ReadModelReader> Find(IServiceProvider services, TimeProvider time)
    {
        var registered = services.GetService<ReadModelDatabase>();
        var ofProjections = services.GetServices<ProjectionRegistration>().Select(each => services.GetRequiredKeyedService<Projection>(each.Name).ReadModel);
        return [.. ofProjections.Prepend(registered).OfType<ReadModelDatabase>().Distinct().Select(each => new ReadModelReader(each, time))];
    }
}

/// <summary>Reads the status of all projections of a database, one read at a time. A slow database delays the figures of the others by at most 500 ms.</summary>
internal sealed class ReadModelReader(ReadModelDatabase database, TimeProvider time)
{
    private static readonly TimeSpan Longest = TimeSpan.FromMilliseconds(500);

    private Task<IReadOnlyList<ProjectionStatus>>? _running;
    private IReadOnlyList<ProjectionStatus> _last = [];
    private long _begunAt;

    internal ProjectionControl Control { get; } = new(database, time);

    internal ProjectionControl ControlBy(CommandOrigin origin) => new(database, time) { Origin = origin };

    /// <summary>Reads the status, or returns the last one after 500 ms. The caller makes one call at a time.</summary>
    internal async Task<ReadModelSnapshot> StatusAsync()
    {
        if (_running is null)
            _begunAt = time.GetTimestamp();
        var read = _running ??= Task.Run(ReadAsync);
        try
        {
            _last = await read.WaitAsync(Longest, time).ConfigureAwait(false);
            _running = null;
            return new(_last, null);
        }
        // The read may have ended just after the time-out. Then the next read has its result.
        catch (TimeoutException) when (!read.IsFaulted)
        {
            return new(_last, FormattableString.Invariant($"The read model database has not answered for {Math.Ceiling(time.GetElapsedTime(_begunAt).TotalSeconds)} s."));
        }
        catch (Exception error)
        {
            _running = null;
            return new(_last, $"The read model database cannot be read: {error.Message}");
        }
    }

    private async Task<IReadOnlyList<ProjectionStatus>> ReadAsync()
    {
        List<ProjectionStatus> all = [];
        foreach (var name in await Control.NamesAsync().ConfigureAwait(false))
            all.AddRange(await Control.StatusAsync(name).ConfigureAwait(false));
        return all;
    }
}
