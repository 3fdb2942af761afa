namespace Throttled.Simulation;

/// <summary>The cases that a simulation reached. A case that never occurs is not tested.</summary>
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
