using Throttled.Journal.Sql;

namespace Throttled.Journal.Queries;

/// <summary>The events of one persistence id.</summary>
/// <param name="PersistenceId">The id.</param>
/// <param name="Range">Its sequence numbers.</param>
/// <param name="IsLive">Whether the query goes on at the end of the journal.</param>
internal readonly record struct ByIdQuery(string PersistenceId, SequenceRange Range, bool IsLive);
