using System.Diagnostics;

namespace CrushTest.Show;

/// <summary>Reads figures, and how fast they grew since the last reading.</summary>
internal sealed class Rates(IReadOnlyList<Figure> figures)
{
    private readonly long[] _last = [.. figures.Select(figure => figure.Value())];
    private long _at = Stopwatch.GetTimestamp();

    internal string Read()
    {
        var seconds = Stopwatch.GetElapsedTime(_at).TotalSeconds;
        _at = Stopwatch.GetTimestamp();
        return string.Join(" · ", figures.Select((figure, i) => Read(figure, i, seconds)));
    }

    private string Read(Figure figure, int i, double seconds)
    {
        var value = figure.Value();
        var rate = figure.HasRate ? $" ({(value - _last[i]) / seconds:N0}/s)" : "";
        _last[i] = value;
        return $"{figure.Label} {value:N0}{rate}";
    }
}
