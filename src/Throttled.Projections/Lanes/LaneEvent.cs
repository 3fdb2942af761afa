using Throttled.Journal;

namespace Throttled.Projections.Lanes;

/// <summary>An event on its way to the handler.</summary>
/// <param name="Stored">As the journal has it.</param>
/// <param name="Payload">Decoded; null where the handler does not get it.</param>
/// <param name="Undecodable">Why it could not be decoded; null where it could.</param>
internal readonly record struct LaneEvent(JournalEvent Stored, object? Payload, Exception? Undecodable)
{
    internal static LaneEvent Decode(JournalEvent stored, Func<JournalEvent, object?> decode)
    {
        try
        {
            return new(stored, decode(stored), null);
        }
        catch (Exception error)
        {
            return new(stored, null, error);
        }
    }
}
