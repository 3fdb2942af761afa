using Throttled.Projections.Store;

namespace Throttled.Projections.Lanes;

/// <summary>
/// The lanes of one version that this process runs: it reads the journal once for all of them, and each works on its own. Which lanes those are
/// is its caller's to say. Calls do not overlap.
/// </summary>
internal interface ILaneCrew : IAsyncDisposable
{
    /// <summary>
    /// Called, on any thread, when a lane ended by itself: it was fenced and is not here any more, or it failed and says so in its report. The
    /// caller reads how things are and decides.
    /// </summary>
    Action? LaneEnded { get; set; }

    /// <summary>How its lanes do, lowest first: those that were started, neither stopped nor fenced since.</summary>
    IReadOnlyList<LaneReport> Reports { get; }

    /// <summary>Starts lanes that the process has claimed, or starts failed ones again. Does not wait for the database.</summary>
    void Start(IReadOnlyList<LaneRow> lanes, long epoch);

    /// <summary>
    /// Stops lanes: the batch in hand of each is finished, or rolled back when <paramref name="hurry"/> is cancelled. What was read ahead is
    /// forgotten. Unknown ones are left out.
    /// </summary>
    Task StopAsync(IReadOnlyCollection<int> lanes, CancellationToken hurry);

    /// <summary>Gives a lane's command to it; it is executed between two batches, once, and ended in the database. Given again, it is left out.</summary>
    /// <returns>Whether a lane that runs here has it.</returns>
    bool Execute(CommandRow command);

    /// <summary>Called about once a second: lanes without events advance as far as the journal was read, reads that have caught up are merged.</summary>
    void Tick();
}
