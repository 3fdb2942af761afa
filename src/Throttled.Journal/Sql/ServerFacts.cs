namespace Throttled.Journal.Sql;

/// <summary>What a first connection learns about the server.</summary>
/// <param name="StatementCeiling">How many statements of this journal it can take at once, whatever is configured.</param>
/// <param name="CeilingReason">Why, as a clause for the log: "max_connections is 100".</param>
/// <param name="Warning">A thing its owner should know, as a sentence for the log; null where all is well.</param>
internal sealed record ServerFacts(int StatementCeiling, string CeilingReason, string? Warning = null);
