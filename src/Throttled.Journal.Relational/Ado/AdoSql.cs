namespace Throttled.Journal.Relational;

/// <summary>The SQL texts that read the journal on every server.</summary>
/// <param name="common">The SQL that all databases share.</param>
internal abstract class AdoSql(JournalSql common)
{
    /// <summary>The journal table, quoted, as the server's catalog functions parse it.</summary>
    internal string JournalTable { get; } = common.Journal;

    /// <summary>The tag table, quoted in the same way.</summary>
    internal string TagTable { get; } = common.TagTable;

    /// <summary>Rows in journal order. Parameters: position, last ordering, maximal number of rows.</summary>
    internal abstract string Ordered { get; }

    /// <summary>
    /// Rows in journal order whose tags column has a wanted tag. Parameters: position, last ordering, tags, maximal number of
    /// rows.
    /// </summary>
    internal abstract string OrderedByColumn { get; }

    /// <summary>
    /// An ordering that has a tag, and its row or NULLs. Parameters: position, last ordering, tag, maximal number of rows.
    /// </summary>
    internal abstract string OrderedByTable { get; }

    /// <summary>Ids from the first on, and whether each has events. Parameter: maximal number of rows.</summary>
    internal abstract string FirstIds { get; }

    /// <summary>As <see cref="FirstIds"/>, but after an id. Parameters: the id, maximal number of rows.</summary>
    internal abstract string Ids { get; }

    /// <summary>Rows below an ordering, descending. Parameters: the ordering, maximal number of rows.</summary>
    internal abstract string FromEnd { get; }

    /// <summary>
    /// Orderings that have a tag, below an ordering, descending. Each has its row's deleted flag and persistence id, or NULLs,
    /// and the stored tag. Parameters: the ordering, tag, maximal number of rows.
    /// </summary>
    internal abstract string FromEndByTable { get; }

    internal string LastKey { get; } = common.LastKey;

    internal abstract KeySql Keys { get; }

    /// <summary>As <see cref="Keys"/>, each with its tags column.</summary>
    internal abstract KeySql TaggedKeys { get; }

    /// <summary>Whole rows. Parameters: position, maximal number of rows.</summary>
    internal abstract string RowsFrom { get; }

    /// <summary>Parameter: orderings.</summary>
    internal abstract string Rows { get; }

    /// <summary>An ordering, or its index in the parameter from 1, and one of its tags. Parameter: orderings.</summary>
    internal abstract string Tags { get; }

    /// <summary>An ordering and one of its tags. Parameters: the first ordering, the last.</summary>
    internal abstract string TagsBetween { get; }

    internal string FirstTagged { get; } = common.FirstTagged;

    /// <summary>Fails if the tag table or one of its columns is missing or may not be read.</summary>
    internal abstract string TagColumns { get; }

    /// <summary>Creates the index that makes reading by tag fast.</summary>
    internal abstract string CreateTagIndex { get; }

    /// <summary>The place of an ordering in the parameter of <see cref="Tags"/>, from 0; negative if it was not asked for.</summary>
    /// <param name="named">What the row names.</param>
    /// <param name="asked">The parameter: distinct orderings, ascending.</param>
    internal virtual int PlaceOf(long named, long[] asked) => Array.BinarySearch(asked, named);
}

/// <summary>The SQL texts that read keys.</summary>
/// <param name="From">At and above a position. Parameters: position, maximal number of rows.</param>
/// <param name="InGaps">In gaps. Parameters: gaps, or their first and their last orderings; maximal number of rows.</param>
internal sealed record KeySql(string From, string InGaps);
