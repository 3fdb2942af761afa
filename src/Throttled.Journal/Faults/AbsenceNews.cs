using Microsoft.Extensions.Logging;
using Throttled.Journal.Diagnostics;

namespace Throttled.Journal.Faults;

/// <summary>
/// Logs that a journal is not there: once when that is first seen, and once as a warning where it lasts. Where writer and reader
/// start together, the reader is often there first, and nothing is wrong. On the loop.
/// </summary>
internal sealed class AbsenceNews(JournalContext context)
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private TimeSpan? _since;
    private bool _warned;

    internal void Seen(AbsentJournal absent, Exception error)
    {
        var now = context.Loop.Now;
        if (_since is null)
            Tell(LogLevel.Information, absent, error);
        _since ??= now;
        if (_warned || now - _since < Patience)
            return;
        Tell(LogLevel.Warning, absent, error);
        _warned = true;
    }

    internal void IsOver() => (_since, _warned) = (null, false);

    private void Tell(LogLevel level, AbsentJournal absent, Exception error) =>
        context.Log.NotThere(level, absent.What, absent.Remedy, error);
}
