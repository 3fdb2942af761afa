using System.CommandLine;
using System.Globalization;
using Throttled.Journal;

namespace Throttled.Reshard.Settings;

/// <summary>Reads and checks single options.</summary>
internal static class OptionText
{
    /// <exception cref="SettingException">The option is given, but empty.</exception>
    internal static string? Named(ParseResult parsed, Option<string?> option) => parsed.GetValue(option) is not { } value ? null
        : value.Length > 0 ? value
        : throw new SettingException($"{option.Name} is ''; it must not be empty. Give a value, or leave it out.");

    /// <exception cref="SettingException">The option is given, but is none of the allowed values.</exception>
    internal static string? OneOf(ParseResult parsed, Option<string?> option, IReadOnlyList<string> allowed) =>
        parsed.GetValue(option) is not { } value ? null
        : allowed.Contains(value) ? value
        : throw new SettingException($"{option.Name} is '{value}'; it must be {string.Join(", ", allowed.SkipLast(1))} or {allowed[^1]}.");

    /// <exception cref="SettingException">The option is given, but is not a whole number of this range.</exception>
    internal static int? Number(ParseResult parsed, Option<string?> option, int least, int most) =>
        parsed.GetValue(option) is not { } value ? null
        : int.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out var number) && number >= least && number <= most ? number
        : throw new SettingException(FormattableString.Invariant($"{option.Name} is '{value}'; it must be a whole number from {least} to {most}."));

    /// <returns>The map of --slices or --shards; null if neither is given.</returns>
    /// <exception cref="SettingException">Both are given, or the value is not a map.</exception>
    internal static ShardMap? Map(ParseResult parsed)
    {
        var slices = Named(parsed, Options.Slices);
        var shards = parsed.CommandResult.Command.Options.Contains(Options.Shards) ? Number(parsed, Options.Shards, 1, JournalSlices.Count) : null;
        if (slices is not null && shards is not null)
            throw new SettingException("--slices and --shards exclude each other; give one of them.");
        if (slices is null)
            return shards is { } count ? ShardMap.Even(count) : null;
        try
        {
            return ShardMap.Parse(slices);
        }
        catch (ArgumentException error)
        {
            throw new SettingException($"--slices is '{slices}': {error.Message}", error);
        }
    }
}
