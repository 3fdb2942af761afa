namespace Throttled.Projections.Store;

/// <summary>Commands that were given together, one for each id. Commands of others between them are of another version or verb, or wait as well.</summary>
/// <param name="Target">The read model.</param>
/// <param name="Verb">What is to be done.</param>
/// <param name="Count">How many.</param>
/// <param name="First">The lowest of their ids.</param>
/// <param name="Last">The highest.</param>
internal sealed record CommandRange(string Target, CommandVerb Verb, int Count, long First, long Last)
{
    internal (string Name, object? Value)[] Parameters =>
        [("version", Target), ("verb", Verb.ToString()), ("first", First), ("last", Last)];
}
