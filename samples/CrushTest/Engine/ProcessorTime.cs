using System.Diagnostics;

namespace CrushTest.Engine;

/// <summary>Processor time of this process since a moment: of a library like SQLite the database's too, of a server only the client's.</summary>
internal readonly struct ProcessorTime
{
    private readonly TimeSpan _before;

    private ProcessorTime(TimeSpan before) => _before = before;

    internal TimeSpan Elapsed => Now() - _before;

    internal static ProcessorTime Start() => new(Now());

    private static TimeSpan Now()
    {
        using var own = Process.GetCurrentProcess();
        return own.TotalProcessorTime;
    }
}
