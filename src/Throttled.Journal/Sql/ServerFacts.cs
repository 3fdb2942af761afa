namespace Throttled.Journal.Sql;

/// <summary>What a probe learns about the server.</summary>
/// <param name="StatementCeiling">How many statements of this journal it can take at once, whatever is configured.</param>
/// <param name="CeilingReason">Why, as a clause for the log: "max_connections is 100".</param>
internal sealed record ServerFacts(int StatementCeiling, string CeilingReason)
{
    /// <summary>Names the server that answered, from its start to its end; null where the database is always the same one, or cannot say.</summary>
    internal string? Server { get; init; }

    /// <summary>How far apart the orderings are that it gives out; 1 where it does not tell.</summary>
    internal long Increment { get; init; } = 1;

    /// <summary>What the connections come from; null where there is no such bound.</summary>
    internal ConnectionBudget? Budget { get; init; }

    /// <summary>A thing its owner should know, as a sentence for the log; null where all is well.</summary>
    internal string? Warning { get; init; }

    /// <summary>Why reading by tag will be slow, as a sentence for the log of who does it; null where it will not.</summary>
    internal string? TagWarning { get; init; }

    /// <summary>Why events cannot be read in the order of the journal without missing some, as a sentence; null where they can.</summary>
    internal string? OrderRefusal { get; init; }

    /// <summary>The warning that the index is missing that reading by tag needs.</summary>
    internal static string NoTagIndex(JournalTables tables, string quotedTable, string remedy) =>
        $"The tag table {quotedTable} has no index on '{tables.TagColumn}' and '{tables.TagOrderingColumn}', so reading by tag goes "
        + $"through the tags of all events. Run once: {remedy}";
}
