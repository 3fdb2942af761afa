using System.Text;

namespace Throttled.Testing.Scripted;

/// <summary>Random input from a seed, which is part of a failure's text.</summary>
internal sealed class Garbage
{
    private static readonly string[] Pieces =
    [
        "", " ", "\0", "\t", "\r\n", "\u0001", "\u007f", "\ufeff", "\u202e", "\ud800", "\udc00", "é", "e\u0301", "İ", "ß", "漢", "𝒳", "\ufffd", "'", "\"", "''", "\"\"", "`", "[", "]", "]]",
        "\\", ";", "=", ",", ":", ".", "-", "--", "/*", "*/", "%", "$", "$1", "@p", "?", "{", "}", "{0}", "(", ")", "<", ">", "&", "|", "#", "!", "~", "+", "_",
        "0", "1", "-1", "9223372036854775807", "9223372036854775808", "2147483648", "1e300", "NaN", "0x1F", "1,5", "null", "true", "off", "infinite",
        "'; DROP TABLE journal; --", "\"; DROP TABLE journal; --", "SELECT", "System.String, mscorlib", "System.Diagnostics.Process, System.Diagnostics.Process", "[[[[[[[[[[", "{\"$type\":\"",
    ];

    private readonly Random _random;

    internal Garbage(int seed) => _random = new(seed);

    /// <summary>Runs a check for many inputs, on all processors.</summary>
    internal static void ForEach(int count, Action<Garbage> check)
    {
        const int each = 100;
        Seeds.ForEach(
            Math.Max(1, count / each), seed => new Garbage(seed), garbage =>
            {
                for (var i = 0; i < each; i++)
                    check(garbage);
            });
    }

    internal Random Random => _random;

    /// <summary>One of some values.</summary>
    internal T OneOf<T>(params IReadOnlyList<T> values) => values[_random.Next(values.Count)];

    /// <summary>A random text, sometimes a long one.</summary>
    internal string Text()
    {
        var text = new StringBuilder();
        for (var pieces = _random.Next(_random.Next(50) == 0 ? 2_000 : 6); pieces >= 0; pieces--)
            text.Append(OneOf(Pieces));
        return text.ToString();
    }

    /// <summary>A valid text, or the text after some random changes.</summary>
    internal string Like(string good)
    {
        var text = good;
        for (var accidents = _random.Next(4); accidents > 0; accidents--)
        {
            var (at, to) = (_random.Next(text.Length + 1), _random.Next(text.Length + 1));
            text = _random.Next(3) switch
            {
                0 => text.Insert(at, OneOf(Pieces)),
                1 => text.Remove(Math.Min(at, to), Math.Abs(at - to)),
                _ => text[..at] + text[to..],
            };
        }
        return text;
    }

    internal byte[] Bytes()
    {
        if (_random.Next(2) == 0)
            return Encoding.UTF8.GetBytes(Text());
        var bytes = new byte[_random.Next(60)];
        _random.NextBytes(bytes);
        return bytes;
    }
}
