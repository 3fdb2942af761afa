namespace Throttled.Projections.Store;

/// <summary>The dead letters of one event.</summary>
/// <param name="Orderings">Theirs; none where it has none.</param>
/// <param name="HasOthers">Whether other events of its id have some.</param>
internal sealed record LettersFound(IReadOnlyList<long> Orderings, bool HasOthers);
