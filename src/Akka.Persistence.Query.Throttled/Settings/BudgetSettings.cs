using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>The budget of statements that all nodes of a cluster share.</summary>
/// <param name="Path">The path of the section.</param>
/// <param name="Role">The role of the nodes; empty for all nodes.</param>
/// <param name="MaxConcurrentQueries">Statements at once; 0 for no limit.</param>
/// <param name="MaxQueriesPerSecond">Statements per second; 0 for no limit.</param>
internal sealed record BudgetSettings(string Path, string Role, int MaxConcurrentQueries, int MaxQueriesPerSecond)
{
    private const int Most = 1_000_000;
    private const string Permits = "max-concurrent-queries";
    private const string Rate = "max-queries-per-second";

    /// <returns>The settings; null if they set no budget.</returns>
    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    internal static BudgetSettings? Read(SettingReader settings)
    {
        var section = settings.Section("cluster");
        var read = new BudgetSettings(section.Path, section.Text("role"), Limit(section, Permits), Limit(section, Rate));
        return read is { MaxConcurrentQueries: 0, MaxQueriesPerSecond: 0 } ? null : read;
    }

    /// <summary>The setting that sets the budget and its value, as an error names them.</summary>
    internal string Named => MaxConcurrentQueries > 0
        ? FormattableString.Invariant($"'{Path}.{Permits}' is {MaxConcurrentQueries}")
        : FormattableString.Invariant($"'{Path}.{Rate}' is {MaxQueriesPerSecond}");

    /// <summary>The same for the smaller limit that is set.</summary>
    internal string Smallest => MaxQueriesPerSecond > 0 && (MaxConcurrentQueries == 0 || MaxQueriesPerSecond < MaxConcurrentQueries)
        ? (this with { MaxConcurrentQueries = 0 }).Named
        : Named;

    private static int Limit(SettingReader section, string key) =>
        section.Int(key) is var limit and >= 0 and <= Most ? limit : throw section.Invalid(key, FormattableString.Invariant($"from 0 to {Most}"));
}
