namespace Throttled.Journal.Ordering;

/// <summary>How long a missing ordering is waited for.</summary>
/// <param name="Timeout">The time, where the database cannot say whether it may still be committed.</param>
/// <param name="GivesUp">Whether the time also ends the wait for one that may.</param>
internal readonly record struct GapPatience(TimeSpan Timeout, bool GivesUp = false)
{
    private static readonly TimeSpan MostLeastAge = TimeSpan.FromSeconds(10);

    /// <summary>How long it is waited for even where the database shows that nobody may commit it any more.</summary>
    internal TimeSpan LeastAge { get; init; }

    /// <param name="options">The options.</param>
    /// <param name="hasTriedEvidence">As <see cref="Sql.IJournalDatabase.HasTriedEvidence"/>.</param>
    internal static GapPatience Of(JournalOptions options, bool hasTriedEvidence) => new(options.GapTimeout, options.OnStalledHead == StalledHead.GiveUp)
    {
        LeastAge = hasTriedEvidence ? TimeSpan.Zero : options.GapMinAge ?? (options.GapTimeout < MostLeastAge ? options.GapTimeout : MostLeastAge),
    };
}
