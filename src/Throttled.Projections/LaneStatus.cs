namespace Throttled.Projections;

/// <summary>How a lane does.</summary>
/// <param name="Lane">Its number, from 0.</param>
/// <param name="FirstSlice">The first of its slices.</param>
/// <param name="LastSlice">The last of its slices, included.</param>
/// <param name="Owner">The process that runs it, as <see cref="ProjectionOptions.Process"/> says; null where none does.</param>
/// <param name="State">How it does; <see cref="LaneState.Idle"/> where no process runs it.</param>
/// <param name="Error">Why it does not run, or what is tried again, or that a batch takes long; null where nothing of it is so.</param>
/// <param name="EventsPerSecond">Handled of late; 0 where no process runs it.</param>
public sealed record LaneStatus(
    int Lane, int FirstSlice, int LastSlice, string? Owner, LaneState State, string? Error, double EventsPerSecond);
