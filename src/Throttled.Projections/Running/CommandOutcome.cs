using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>What became of a command.</summary>
/// <param name="State">Done, or refused.</param>
/// <param name="Result">What was done, or why it is refused.</param>
internal readonly record struct CommandOutcome(CommandState State, string Result);
