namespace Throttled.Journal.Rows;

/// <summary>The rows of one statement for the members of a batch. By default, no row is kept, so no bytes are counted.</summary>
internal abstract class BatchRows
{
    /// <summary>Makes pages of the rows. Call this when the statement has ended without error.</summary>
    internal virtual void Complete()
    {
    }

    /// <summary>Call this when the statement has failed. Releases the counted bytes.</summary>
    internal virtual void Discard()
    {
    }

    /// <summary>Releases the counted bytes of a member that does not take its page.</summary>
    internal virtual void Drop(int member)
    {
    }
}
