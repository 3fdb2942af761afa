using System.Globalization;
using System.Text;
using System.Xml.Linq;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace Throttled.Tool.Tests.Pictures;

/// <summary>What a console has printed, as an SVG picture of a terminal.</summary>
/// <param name="title">What the picture shows, for readers who do not see it.</param>
/// <param name="command">The lines of the command above the output.</param>
internal sealed class TerminalPicture(string title, params IReadOnlyList<string> command) : IAnsiConsoleEncoder
{
    internal const int Columns = 118;

    private const double CharacterWidth = 8.4;
    private const double LineHeight = 19;
    private const double Margin = 16;

    private const string Style = """

            text { font: 14px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1c2530; white-space: pre; }
            rect { fill: #f4f6f9; }
            .command { fill: #5b6b7f; }
            .green { fill: #1a7f37; }
            .yellow { fill: #9a6700; }
            .red { fill: #cf222e; }
            @media (prefers-color-scheme: dark) {
              text { fill: #e6edf3; }
              rect { fill: #0d1117; }
              .command { fill: #9da7b3; }
              .green { fill: #3fb950; }
              .yellow { fill: #e3b341; }
              .red { fill: #ff7b72; }
            }

        """;

    private static readonly XNamespace Svg = "http://www.w3.org/2000/svg";

    public string Encode(IAnsiConsole console, IEnumerable<IRenderable> buffer)
    {
        // An empty line is below the command.
        var lines = Lines(buffer.SelectMany(each => each.GetSegments(console)));
        var first = command.Count + 1;
        var (width, height) = ((2 * Margin) + (Columns * CharacterWidth), (2 * Margin) + ((first + lines.Count) * LineHeight));
        var picture = new XElement(
            Svg + "svg", new XAttribute("viewBox", Invariant($"0 0 {width:0} {height:0}")), new XAttribute("width", Invariant($"{width:0}")), new XAttribute("height", Invariant($"{height:0}")),
            new XAttribute("role", "img"), new XAttribute("aria-labelledby", "title"),
            new XElement(Svg + "title", new XAttribute("id", "title"), title),
            new XElement(Svg + "style", Style),
            new XElement(Svg + "rect", new XAttribute("width", "100%"), new XAttribute("height", "100%"), new XAttribute("rx", 8)),
            command.Select((line, row) => Text(0, row, row == 0 ? $"$ {line}" : $"    {line}", "command")),
            lines.SelectMany((line, i) => Texts(line, first + i)));
        return picture.ToString().ReplaceLineEndings("\n") + "\n";
    }

    /// <summary>The text of a picture. Each number is a #, because it may be another one in the next run; so may a line end elsewhere.</summary>
    internal static string TextOf(string svg)
    {
        var text = string.Join(' ', XElement.Parse(svg).Elements(Svg + "text").Select(each => each.Value));
        var numbers = new StringBuilder();
        foreach (var each in string.Join(' ', text.Split(' ', StringSplitOptions.RemoveEmptyEntries)))
        {
            var isNumber = char.IsAsciiDigit(each) || (each is '.' or ',' && numbers is [.., '#']);
            if (!isNumber || numbers is not [.., '#'])
                numbers.Append(isNumber ? '#' : each);
        }
        return numbers.ToString();
    }

    // The library's own method drops empty lines.
    private static List<List<Segment>> Lines(IEnumerable<Segment> segments)
    {
        List<List<Segment>> lines = [[]];
        foreach (var segment in segments)
        {
            foreach (var (i, part) in segment.Text.Split('\n').Index())
            {
                if (i > 0)
                    lines.Add([]);
                if (part.Length > 0)
                    lines[^1].Add(new(part, segment.Style));
            }
        }
        return lines[^1].Count == 0 ? lines[..^1] : lines;
    }

    // Each word begins at its own column, so that columns stay straight if a font lacks a character, and takes another one's.
    private static IEnumerable<XElement> Texts(List<Segment> line, int row)
    {
        var column = 0;
        foreach (var segment in line)
        {
            var start = segment.Text.Length - segment.Text.TrimStart().Length;
            if (segment.Text.Trim() is { Length: > 0 } words)
                yield return Text(column + start, row, words, ColourOf(segment.Style));
            column += segment.CellCount();
        }
    }

    private static XElement Text(int column, int row, string words, string? style) => new(
        Svg + "text", new XAttribute("x", Invariant($"{Margin + (column * CharacterWidth):0.#}")), new XAttribute("y", Invariant($"{Margin + ((row + 0.75) * LineHeight):0.#}")),
        style is null ? null : new XAttribute("class", style), words);

    private static string? ColourOf(Spectre.Console.Style style) =>
        style.Foreground == Color.Green ? "green" : style.Foreground == Color.Yellow ? "yellow" : style.Foreground == Color.Red ? "red" : null;

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
