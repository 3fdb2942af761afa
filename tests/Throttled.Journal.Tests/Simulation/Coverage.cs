namespace Throttled.Simulation;

/// <summary>What happened in a simulation at all: one that never does a thing proves nothing about it.</summary>
internal sealed class Coverage
{
    private readonly HashSet<string> _kinds = new(StringComparer.Ordinal);

    internal IReadOnlySet<string> Kinds => _kinds;

    internal void Add(string kind) => _kinds.Add(kind);

    internal void AddIf(bool happened, string kind)
    {
        if (happened)
            Add(kind);
    }
}
