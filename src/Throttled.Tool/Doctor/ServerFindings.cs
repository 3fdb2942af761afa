using Throttled.Tool.CommandLine;
using static System.FormattableString;

namespace Throttled.Tool.Doctor;

/// <summary>Checks that are the same for every server. They read nothing themselves.</summary>
internal static class ServerFindings
{
    private static readonly TimeSpan MostSkew = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongTransaction = TimeSpan.FromMinutes(1);

    /// <param name="skew">The server's clock minus this machine's.</param>
    internal static Finding Clock(TimeSpan skew) => skew.Duration() <= MostSkew
        ? Finding.Good("clock", "this machine and the server differ by at most 1 s")
        : Finding.Warning("clock", Invariant($"The server's clock is {Math.Abs(skew.TotalSeconds):N0} s {(skew > TimeSpan.Zero ? "ahead of" : "behind")} this machine's: times in their logs cannot be compared"), "Synchronize both clocks (NTP)");

    /// <summary>Whether a transaction is open for so long that it is worth a warning.</summary>
    internal static bool IsLong(OpenTransaction? open) => open?.Age >= LongTransaction;

    /// <param name="open">The oldest open transaction; null if there is none.</param>
    /// <param name="remedy">What to do about one that is old.</param>
    internal static Finding Transactions(OpenTransaction? open, string remedy) => open switch
    {
        null => Finding.Good("transactions", "none is open"),
        { } oldest when oldest.Age < LongTransaction => Finding.Good("transactions", Invariant($"the oldest has been open for {oldest.Age.TotalSeconds:N0} s")),
        { } oldest => Finding.Warning("transactions", Invariant($"One has been open for {oldest.Age.TotalMinutes:N0} min: user '{oldest.User}', application '{oldest.Application}', {oldest.State}: {oldest.Statement}. If it has written events, queries in journal order wait for it"), remedy),
    };
}
