namespace Throttled.Conventions.PublicSurface;

/// <summary>The shortest difference between two texts, as lines marked - and +, with the type that they belong to.</summary>
internal static class TextDifference
{
    internal static IEnumerable<string> Between(IReadOnlyList<string> old, IReadOnlyList<string> now)
    {
        var common = CommonLengths(old, now);
        string? heading = null, shown = null;
        for (int i = 0, j = 0; i < old.Count || j < now.Count;)
        {
            if (i < old.Count && j < now.Count && old[i] == now[j])
            {
                if (IsHeading(old[i]))
                    heading = old[i];
                (i, j) = (i + 1, j + 1);
                continue;
            }

            var removed = j == now.Count || (i < old.Count && common[i + 1, j] >= common[i, j + 1]);
            var line = removed ? old[i++] : now[j++];
            if (IsHeading(line))
                heading = shown = line;
            else if (heading is not null && heading != shown)
                yield return "  " + (shown = heading);
            yield return (removed ? "- " : "+ ") + line;
        }
    }

    private static bool IsHeading(string line) => line.Length > 0 && line[0] != ' ';

    /// <summary>At [i, j], the length of the longest common subsequence of both texts from these lines on.</summary>
    private static int[,] CommonLengths(IReadOnlyList<string> old, IReadOnlyList<string> now)
    {
        var lengths = new int[old.Count + 1, now.Count + 1];
        for (var i = old.Count - 1; i >= 0; i--)
        {
            for (var j = now.Count - 1; j >= 0; j--)
            {
                lengths[i, j] = old[i] == now[j]
                    ? lengths[i + 1, j + 1] + 1
                    : Math.Max(lengths[i + 1, j], lengths[i, j + 1]);
            }
        }

        return lengths;
    }
}
