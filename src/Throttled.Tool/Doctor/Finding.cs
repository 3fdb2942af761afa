namespace Throttled.Tool.Doctor;

internal enum Health
{
    Good,

    /// <summary>It works, but slowly, or with a risk.</summary>
    Warning,

    /// <summary>Queries fail, wait, miss events, or read a whole table each time.</summary>
    Bad,
}

/// <summary>What one check found.</summary>
/// <param name="Health">How good it is.</param>
/// <param name="Subject">What was checked, in one or two words.</param>
/// <param name="Text">What was found, without a period at the end.</param>
/// <param name="Remedy">A statement to run, or what to do; null if nothing is to be done.</param>
internal sealed record Finding(Health Health, string Subject, string Text, string? Remedy = null)
{
    internal static Finding Good(string subject, string text) => new(Health.Good, subject, text);

    internal static Finding Warning(string subject, string text, string remedy) => new(Health.Warning, subject, text, remedy);

    internal static Finding Bad(string subject, string text, string remedy) => new(Health.Bad, subject, text, remedy);
}
