namespace Throttled.Journal.Relational;

/// <summary>The SQL texts that read the journal on every server. A probe may replace some of them.</summary>
/// <param name="common">The SQL that all databases share.</param>
internal abstract class AdoSql(JournalSql common)
{
    /// <summary>The journal table, quoted, as the server's catalog functions parse it.</summary>
    internal string JournalTable { get; } = common.Journal;

    /// <summary>The tag table, quoted in the same way.</summary>
    internal string TagTable { get; } = common.TagTable;

    /// <summary>Rows in journal order. Parameters: position, last ordering, maximal number of rows.</summary>
    internal string Ordered { get; private protected set; } = "";

    /// <summary>Rows in journal order whose tags column has a wanted tag. Parameters: position, last ordering, tags, maximal number of rows.</summary>
    internal string OrderedByColumn { get; private protected set; } = "";

    /// <summary>An ordering that has a tag, and its row or NULLs. Parameters: position, last ordering, tag, maximal number of rows.</summary>
    internal string OrderedByTable { get; private protected set; } = "";

    /// <summary>Ids from the first on, and whether each has events. Parameter: maximal number of rows.</summary>
    internal string FirstIds { get; private protected set; } = "";

    /// <summary>As <see cref="FirstIds"/>, but after an id. Parameters: the id, maximal number of rows.</summary>
    internal string Ids { get; private protected set; } = "";

    /// <summary>Rows below an ordering, descending. Parameters: the ordering, maximal number of rows.</summary>
    internal string FromEnd { get; private protected set; } = "";

    /// <summary>
    /// Orderings that have a tag, below an ordering, descending. Each has its row's deleted flag and persistence id, or NULLs,
    /// and the stored tag. Parameters: the ordering, tag, maximal number of rows.
    /// </summary>
    internal string FromEndByTable { get; private protected set; } = "";

    internal string LastKey { get; } = common.LastKey;

    internal KeySql Keys { get; private protected set; } = new("", "");

    /// <summary>As <see cref="Keys"/>, each with its tags column.</summary>
    internal KeySql TaggedKeys { get; private protected set; } = new("", "");

    /// <summary>Whole rows. Parameters: position, maximal number of rows.</summary>
    internal string RowsFrom { get; private protected set; } = "";

    /// <summary>Parameter: orderings.</summary>
    internal string Rows { get; private protected set; } = "";

    /// <summary>An ordering, or its index in the parameter from 1, and one of its tags. Parameter: orderings.</summary>
    internal string Tags { get; private protected set; } = "";

    /// <summary>An ordering and one of its tags. Parameters: the first ordering, the last.</summary>
    internal string TagsBetween { get; private protected set; } = "";

    internal string FirstTagged { get; } = common.FirstTagged;

    /// <summary>Fails if the tag table or one of its columns is missing or may not be read.</summary>
    internal string TagColumns { get; private protected set; } = "";

    /// <summary>Creates the index that makes reading by tag fast.</summary>
    internal string CreateTagIndex { get; private protected set; } = "";

    /// <summary>The place of an ordering in the parameter of <see cref="Tags"/>, from 0; negative if it was not asked for.</summary>
    /// <param name="named">What the row names.</param>
    /// <param name="asked">The parameter: distinct orderings, ascending.</param>
    internal virtual int PlaceOf(long named, long[] asked) => Array.BinarySearch(asked, named);
}

/// <summary>The SQL texts that read keys.</summary>
/// <param name="From">At and above a position. Parameters: position, maximal number of rows.</param>
/// <param name="InGaps">In gaps. Parameters: gaps, or their first and their last orderings; maximal number of rows.</param>
internal sealed record KeySql(string From, string InGaps);
