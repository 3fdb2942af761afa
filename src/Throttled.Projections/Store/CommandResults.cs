using Throttled.Projections.Positions;

namespace Throttled.Projections.Store;

/// <summary>What is said of commands that were done.</summary>
internal static class CommandResults
{
    internal static string Built(string target) => $"'{target}' is being built.";

    internal static string GoesOn(string target, ResetPlace place, bool isAnew) => isAnew
        ? $"'{target}' is empty and begins with the first event."
        : $"'{target}' goes on after {place}.";

    internal static string Divided(string target, int lanes) => FormattableString.Invariant($"'{target}' has {lanes} lanes.");

    internal static string Swapped(string target, string from) => $"'{target}' is live, '{from}' is retired.";

    internal static string Dropped(string target) => $"'{target}' is dropped.";
}
