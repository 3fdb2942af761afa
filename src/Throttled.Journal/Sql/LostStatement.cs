namespace Throttled.Journal.Sql;

/// <summary>A statement whose connection broke while it ran, so that the server may still be running it.</summary>
/// <param name="Backend">Names the server's process, unique over its restarts; null where it is not known, so that the server cannot be queried.</param>
/// <param name="AtMost">How long it may still run where the server cannot be queried.</param>
internal sealed record LostStatement(string? Backend, TimeSpan AtMost);
