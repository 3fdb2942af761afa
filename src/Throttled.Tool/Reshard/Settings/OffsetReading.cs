using System.CommandLine;
using System.Globalization;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Reshard;

/// <summary>Converts a stored offset to the new shards.</summary>
internal static class OffsetReading
{
    /// <exception cref="CommandException">The text is not an offset, or the offset cannot be converted.</exception>
    internal static string Read(ParseResult parsed)
    {
        var map = MoveReading.RequiredMap(parsed);
        var text = parsed.GetValue(ReshardOptions.Offset)!;
        if (long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var ordering))
            return ShardedPosition.At(map, ordering).ToString();
        try
        {
            return ShardedPosition.Parse(text).On(map).ToString();
        }
        catch (FormatException error)
        {
            throw new CommandException(
                $"The offset is '{text}'; it must be an ordering, such as 1042, or the text of a sharded journal's position, such as 0-511:1042,512-1023:77.", error);
        }
    }
}
