using System.Text.Json;
using Throttled.AspNetCore.Figures;

namespace Throttled.AspNetCore.Status;

/// <summary>The application and the host that the page shows, and whether it allows commands.</summary>
internal sealed record PageAbout(string Application, string Host, bool AllowsCommands);

/// <summary>
/// Reads all figures once, and returns them as JSON. An instrument with a listener costs time, so the meters are listened to only until 10 s
/// after the last read.
/// </summary>
internal sealed class StatusReader
{
    private static readonly TimeSpan Unwatched = TimeSpan.FromSeconds(10);

    private readonly PageAbout _about;
    private readonly ReadModels _readModels;
    private readonly TimeProvider _time;
    private readonly Lock _lock = new();
    private readonly ITimer _idle;
    private JournalMeters? _meters;

    internal StatusReader(PageAbout about, ReadModels readModels, TimeProvider time)
    {
        (_about, _readModels, _time) = (about, readModels, time);
        _idle = time.CreateTimer(_ => StopListening(), null, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    internal bool IsListening
    {
        get
        {
            lock (_lock)
                return _meters is not null;
        }
    }

    internal async Task<string> TakeAsync()
    {
        var journals = ReadJournals();
        var readModels = await _readModels.StatusAsync().ConfigureAwait(false);
        return JsonSerializer.Serialize(
            new { at = _time.GetUtcNow(), _about.Application, _about.Host, _about.AllowsCommands, journals, readModels }, PageJson.Options);
    }

    private IReadOnlyList<JournalSnapshot> ReadJournals()
    {
        lock (_lock)
        {
            _meters ??= new(_time);
            _idle.Change(Unwatched, Timeout.InfiniteTimeSpan);
            return _meters.Read();
        }
    }

    private void StopListening()
    {
        lock (_lock)
        {
            _meters?.Dispose();
            _meters = null;
        }
    }
}
