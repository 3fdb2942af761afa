namespace Throttled.Journal.Sql;

/// <summary>A statement whose connection broke while it ran, so that the server may still be running it.</summary>
/// <param name="Backend">Names the server's process, unique over its restarts.</param>
/// <param name="EndsAt">When the server's own statement time-out has ended it at the latest.</param>
internal sealed record LostStatement(string Backend, DateTimeOffset EndsAt);
