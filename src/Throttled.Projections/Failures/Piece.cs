namespace Throttled.Projections.Failures;

/// <summary>A part of a batch that is one transaction.</summary>
/// <param name="From">Its first event's index.</param>
/// <param name="To">The index behind its last event.</param>
/// <param name="Treatment">What is done with it; other than <see cref="Treatment.Handle"/> only where it is one event.</param>
internal readonly record struct Piece(int From, int To, Treatment Treatment = Treatment.Handle)
{
    internal int Count => To - From;
}
