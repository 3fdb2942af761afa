using System.Runtime.InteropServices;

namespace Throttled.Simulation;

/// <summary>A digest of all steps, and the last steps as text.</summary>
internal sealed class SimulationTrace
{
    private const int Kept = 60;

    private readonly (string What, string? Whom, long Number)[] _last = new (string, string?, long)[Kept];
    private int _count;

    // FNV-1a (RFC 9923): the same in every process, unlike the hash codes of strings.
    internal ulong Digest { get; private set; } = 14695981039346656037;

    internal void Add(string what, string? whom = null, long number = 0)
    {
        _last[_count++ % Kept] = (what, whom, number);
        Take(what);
        Take(whom ?? "");
        Take((ushort)number);
        Take((ushort)(number >> 16));
    }

    public override string ToString() => string.Join(
        Environment.NewLine, Enumerable.Range(Math.Max(0, _count - Kept), Math.Min(_count, Kept)).Select(Line));

    private string Line(int index)
    {
        var (what, whom, number) = _last[index % Kept];
        return $"  {index}: {what} {whom} {number}";
    }

    private void Take(string text)
    {
        foreach (var each in MemoryMarshal.Cast<char, ushort>(text.AsSpan()))
            Take(each);
    }

    private void Take(ushort value) => Digest = (Digest ^ value) * 1099511628211;
}
