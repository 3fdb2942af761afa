using Throttled.Journal;

namespace Throttled.Projections;

/// <summary>Refuses options that cannot work.</summary>
internal static class ProjectionOptionsValidation
{
    private const int LongestName = 200;

    private static readonly OptionCheck Check = new(name => name);

    /// <exception cref="ArgumentException">A value is out of its range.</exception>
    internal static void Validate(this ProjectionOptions options)
    {
        Name(nameof(options.Name), options.Name, hasDefault: false);
        Check.Given(nameof(options.Source), options.Source);
        Check.Given(nameof(options.TimeProvider), options.TimeProvider);
        if (options.Process is { } process)
            Name(nameof(options.Process), process, hasDefault: true);
        Lanes(options);
        Check.Between(nameof(options.BatchSize), options.BatchSize, 1, 100_000);
        Check.Between(nameof(options.BatchAge), options.BatchAge, TimeSpan.Zero, TimeSpan.FromMinutes(1));
        Check.Between(nameof(options.MaxBufferedBytes), options.MaxBufferedBytes, 1, long.MaxValue);
        Check.Defined(nameof(options.OnFailure), options.OnFailure);
        Check.Between(nameof(options.MaxAttempts), options.MaxAttempts, 1, 1_000);
        Check.Between(nameof(options.MaxDeadLetters), options.MaxDeadLetters, 1, int.MaxValue);
        Check.Between(nameof(options.LeaseDuration), options.LeaseDuration, TimeSpan.FromSeconds(1), TimeSpan.FromHours(1));
    }

    private static void Lanes(ProjectionOptions options)
    {
        Check.Between(nameof(options.Lanes), options.Lanes, 1, JournalSlices.Count);
        var slices = options.Source.LastSlice - options.Source.FirstSlice + 1;
        if (options.Lanes > slices)
            throw new ArgumentException(FormattableString.Invariant(
                $"'{nameof(options.Lanes)}' is {options.Lanes}; it must be at most {slices}, the slices of '{nameof(options.Source)}' ({options.Source})."));
    }

    private static void Name(string setting, string? value, bool hasDefault)
    {
        if (value?.Length > LongestName)
            throw new ArgumentException(FormattableString.Invariant(
                $"'{setting}' has {value.Length} characters; it must have from 1 to {LongestName}. Choose a shorter one."));
        Check.Name(setting, value, hasDefault);
    }
}
