namespace CrushTest.Databases;

/// <summary>What is in the journal.</summary>
/// <param name="Events">Its rows.</param>
/// <param name="LastSequenceNumber">The highest of any persistence id.</param>
internal sealed record JournalSize(long Events, long LastSequenceNumber);
