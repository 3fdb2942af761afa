using System.Data.Common;
using Throttled.Journal;
using Throttled.Projections.Databases;

namespace Throttled.Projections.Tables;

/// <summary>What people told projections to do, and what became of it.</summary>
internal static class CommandTable
{
    private const string Command = Schema.Command;
    private const string Waiting = nameof(CommandState.Waiting);

    private const int FirstNumber = 4;
    private const int ShardedOffsetColumn = 7;
    private const int LanesColumn = 8;
    private const string Kept = "-604800";
    private const int MaxForgotten = 10_000;

    private static readonly string[] Verbs = Enum.GetNames<CommandVerb>();

    /// <summary>
    /// The oldest that wait and that somebody may execute, those for a leader first: neither what the lanes of a paused target will do when it is resumed nor
    /// very many retries must keep the rest from being seen, a reset among them that may be the cure.
    /// </summary>
    internal static Task<List<CommandRow>> ReadAsync(DatabaseTransaction transaction, string name, int limit, CancellationToken cancellation) =>
        transaction.ReadAsync(
            $"""
            SELECT id, version, verb, persistence_id, sequence_number, ordering, timestamp, sharded_offset, lanes FROM (
            SELECT c.* FROM {Command} AS c
            WHERE c.projection = @projection AND c.state = '{Waiting}' AND NOT (c.verb IN ('{nameof(CommandVerb.Retry)}', '{nameof(CommandVerb.Discard)}')
                AND EXISTS (SELECT 1 FROM {Schema.Projection} AS p
                    WHERE p.version = c.version AND p.paused AND p.role <> '{nameof(VersionRole.Retired)}'))
            ORDER BY CASE WHEN c.verb IN ('{nameof(CommandVerb.Retry)}', '{nameof(CommandVerb.Discard)}') THEN 1 ELSE 0 END, c.id LIMIT @limit) AS w
            ORDER BY id
            """,
            Row, cancellation, ("projection", name), ("limit", limit));

    /// <exception cref="FencedException">It has ended before.</exception>
    internal static async Task EndAsync(
        DatabaseTransaction transaction, long id, CommandState state, string result, CancellationToken cancellation)
    {
        if (!await TryEndAsync(transaction, id, state, result, cancellation).ConfigureAwait(false))
            throw new FencedException(FormattableString.Invariant($"Command {id} has ended before."));
    }

    /// <returns>Whether it had not ended before. Who ends the same waits for the end of this transaction.</returns>
    internal static async Task<bool> TryEndAsync(
        DatabaseTransaction transaction, long id, CommandState state, string result, CancellationToken cancellation) =>
        await transaction.ExecuteAsync(
            $"""
            UPDATE {Command} SET state = @state, result = @result, done_at = {transaction.Spelling.Now}
            WHERE id = @id AND state = '{Waiting}'
            """,
            cancellation, ("state", state.ToString()), ("result", StoredText.Of(result)), ("id", id)).ConfigureAwait(false) > 0;

    /// <summary>Refuses all that wait for a version.</summary>
    internal static Task RefuseAllAsync(DatabaseTransaction transaction, string version, string result, CancellationToken cancellation) =>
        transaction.ExecuteAsync(
            $"""
            UPDATE {Command} SET state = '{nameof(CommandState.Refused)}', result = @result, done_at = {transaction.Spelling.Now}
            WHERE version = @version AND state = '{Waiting}'
            """,
            cancellation, ("result", StoredText.Of(result)), ("version", version));

    /// <summary>Removes what ended more than seven days ago: some thousands at most, the oldest first, so that who inserts does not wait long.</summary>
    internal static Task ForgetAsync(DatabaseTransaction transaction, CancellationToken cancellation) =>
        transaction.ExecuteAsync(
            $"""
            DELETE FROM {Command} WHERE id IN (
                SELECT c.id FROM {Command} AS c WHERE c.done_at < {transaction.Spelling.Later(Kept)} ORDER BY c.done_at LIMIT {MaxForgotten}
                {transaction.Spelling.ForUpdateOfFree("c")})
            """,
            cancellation);

    // Anybody may have inserted it who has the right to, and SQLite's columns take values of any type.
    private static CommandRow Row(DbDataReader row)
    {
        var (id, version, verb) = (row.GetInt64(0), row.GetString(1), row.GetString(2));
        if (!Verbs.Contains(verb))
            return Unreadable($"Its verb is '{verb}'; it must be one of {string.Join(", ", Verbs)}.");
        for (var column = FirstNumber; column < row.FieldCount; column++)
        {
            if (row.GetValue(column) is not (DBNull or int or long) && column != ShardedOffsetColumn)
                return Unreadable($"Its {row.GetName(column)} is no whole number.");
        }
        if (row.LongOrNull(LanesColumn) is < 0 or > int.MaxValue)
            return Unreadable("Its lanes are no number of lanes.");
        return new(id, version, Enum.Parse<CommandVerb>(verb))
        {
            PersistenceId = row.TextOrNull(3),
            SequenceNumber = row.LongOrNull(FirstNumber),
            Ordering = row.LongOrNull(5),
            Timestamp = row.LongOrNull(6),
            ShardedOffset = row.TextOrNull(ShardedOffsetColumn),
            Lanes = row.IntOrNull(LanesColumn),
        };

        CommandRow Unreadable(string why) => new(id, version, default) { VerbText = verb, Unreadable = why };
    }
}

/// <summary>What somebody told a projection to do; one row of the command table.</summary>
/// <param name="Id">Ascending: commands of a lane are executed in this order.</param>
/// <param name="Version">The read model that it is for; for a rebuild the new one.</param>
/// <param name="Verb">What is to be done.</param>
internal sealed record CommandRow(long Id, string Version, CommandVerb Verb)
{
    /// <summary>The id whose dead letters are meant; null where the verb is not about any.</summary>
    internal string? PersistenceId { get; init; }

    /// <summary>The one event of the id that is meant; null for all of them.</summary>
    internal long? SequenceNumber { get; init; }

    /// <summary>The ordering that a reset goes back to; 0 for the start.</summary>
    internal long? Ordering { get; init; }

    /// <summary>The offset in a sharded journal that a reset goes back to, as <see cref="ShardedPosition.ToString"/> spells it; null where it is none.</summary>
    internal string? ShardedOffset { get; init; }

    /// <summary>The time, in UTC ticks, that a reset goes back to; null where it names an ordering.</summary>
    internal long? Timestamp { get; init; }

    /// <summary>How many lanes there are to be; null where the verb is not about them.</summary>
    internal int? Lanes { get; init; }

    /// <summary>What in the row no command has, where somebody inserted it by hand; null where there is nothing.</summary>
    internal string? Unreadable { get; init; }

    /// <summary>Its verb as it is in the row, for people to read.</summary>
    internal string VerbText { get; init; } = Verb.ToString();

    /// <summary>Why nobody can execute it; null where somebody can.</summary>
    internal string? Refusal => Unreadable
        ?? (Verb is CommandVerb.Retry or CommandVerb.Discard && PersistenceId is null ? $"Its persistence_id is null, and {Verb} needs one." : null);

    /// <summary>Whether a lane executes it, and not the process that leads.</summary>
    internal bool IsForLane => Verb is CommandVerb.Retry or CommandVerb.Discard && Refusal is null;
}

/// <summary>What became of a command. Stored by name.</summary>
internal enum CommandState
{
    Waiting,
    Done,
    Refused,
}

/// <summary>What a command is about. Stored by name.</summary>
internal enum CommandVerb
{
    Reset,
    Rebuild,
    Swap,

    /// <summary>As <see cref="Swap"/>, whatever the rebuild has lost.</summary>
    ForcedSwap,

    Drop,

    /// <summary>Divides the slices among another number of lanes.</summary>
    SetLanes,

    Retry,
    Discard,
}

/// <summary>Commands that were given together, one for each id. Commands of others between them are of another version or verb, or wait as well.</summary>
/// <param name="Version">The read model.</param>
/// <param name="Verb">What is to be done.</param>
/// <param name="Count">How many.</param>
/// <param name="First">The lowest of their ids.</param>
/// <param name="Last">The highest.</param>
internal sealed record CommandRange(string Version, CommandVerb Verb, int Count, long First, long Last)
{
    internal (string Name, object? Value)[] Parameters =>
        [("version", Version), ("verb", Verb.ToString()), ("first", First), ("last", Last)];
}

/// <summary>What became of a command.</summary>
/// <param name="State">Done, or refused.</param>
/// <param name="Result">What was done, or why it is refused.</param>
internal readonly record struct CommandOutcome(CommandState State, string Result);
