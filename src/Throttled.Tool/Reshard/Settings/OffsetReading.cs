using System.CommandLine;
using System.Globalization;
using Throttled.Journal;

namespace Throttled.Reshard.Settings;

/// <summary>Converts a stored position to the new shards.</summary>
internal static class PositionReading
{
    /// <exception cref="SettingException">The text is not a position, or the position cannot be converted.</exception>
    internal static string Read(ParseResult parsed)
    {
        var map = OptionText.Map(parsed)
            ?? throw new SettingException("--slices and --shards are missing; give one of them, as the application's configuration has it.");
        var text = parsed.GetValue(Options.Position)!;
        if (long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var ordering))
            return ShardedPosition.At(map, ordering).ToString();
        try
        {
            return ShardedPosition.Parse(text).On(map).ToString();
        }
        catch (FormatException error)
        {
            throw new SettingException(
                $"The position is '{text}'; it must be an ordering, such as 1042, or the text of a sharded journal's position, such as 0-511:1042,512-1023:77.", error);
        }
        catch (ArgumentException error)
        {
            throw new SettingException(error.Message, error);
        }
    }
}
