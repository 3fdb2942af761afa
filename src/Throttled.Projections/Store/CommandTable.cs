using System.Data.Common;

namespace Throttled.Projections.Store;

/// <summary>What people told projections to do, and what became of it.</summary>
internal static class CommandTable
{
    private const string Command = StoreTables.Command;
    private const string Waiting = nameof(CommandState.Waiting);

    private const int FirstNumber = 4;
    private const int PlaceColumn = 7;
    private const int LanesColumn = 8;
    private const string Kept = "-604800";
    private const int MostForgotten = 10_000;

    private static readonly string[] Verbs = Enum.GetNames<CommandVerb>();

    /// <summary>
    /// The oldest that wait and that somebody may execute, those for a leader first: neither what the lanes of a paused target will do when it is resumed nor
    /// very many retries must keep the rest from being seen, a reset among them that may be the cure.
    /// </summary>
    internal static Task<List<CommandRow>> ReadAsync(StoreTransaction transaction, string name, int most, CancellationToken cancellation) =>
        transaction.ReadAsync(
            $"""
            SELECT id, version, verb, persistence_id, sequence_number, ordering, timestamp, sharded_offset, lanes FROM (
            SELECT c.* FROM {Command} AS c
            WHERE c.projection = @projection AND c.state = '{Waiting}' AND NOT (c.verb IN ('{nameof(CommandVerb.Retry)}', '{nameof(CommandVerb.Discard)}')
                AND EXISTS (SELECT 1 FROM {StoreTables.Projection} AS p
                    WHERE p.version = c.version AND p.paused AND p.role <> '{nameof(TargetRole.Retired)}'))
            ORDER BY CASE WHEN c.verb IN ('{nameof(CommandVerb.Retry)}', '{nameof(CommandVerb.Discard)}') THEN 1 ELSE 0 END, c.id LIMIT @limit) AS w
            ORDER BY id
            """,
            Row, cancellation, ("projection", name), ("limit", most));

    /// <exception cref="FencedException">It has ended before.</exception>
    internal static async Task EndAsync(
        StoreTransaction transaction, long id, CommandState state, string result, CancellationToken cancellation)
    {
        if (!await TryEndAsync(transaction, id, state, result, cancellation).ConfigureAwait(false))
            throw new FencedException(FormattableString.Invariant($"Command {id} has ended before."));
    }

    /// <returns>Whether it had not ended before. Who ends the same waits for the end of this transaction.</returns>
    internal static async Task<bool> TryEndAsync(
        StoreTransaction transaction, long id, CommandState state, string result, CancellationToken cancellation) =>
        await transaction.ExecuteAsync(
            $"""
            UPDATE {Command} SET state = @state, result = @result, done_at = {transaction.Spelling.Now}
            WHERE id = @id AND state = '{Waiting}'
            """,
            cancellation, ("state", state.ToString()), ("result", StoredText.Of(result)), ("id", id)).ConfigureAwait(false) > 0;

    /// <summary>Refuses all that wait for a version.</summary>
    internal static Task RefuseAllAsync(StoreTransaction transaction, string target, string result, CancellationToken cancellation) =>
        transaction.ExecuteAsync(
            $"""
            UPDATE {Command} SET state = '{nameof(CommandState.Refused)}', result = @result, done_at = {transaction.Spelling.Now}
            WHERE version = @version AND state = '{Waiting}'
            """,
            cancellation, ("result", StoredText.Of(result)), ("version", target));

    /// <summary>Removes what ended more than seven days ago: some thousands at most, the oldest first, so that who inserts does not wait long.</summary>
    internal static Task ForgetAsync(StoreTransaction transaction, CancellationToken cancellation) =>
        transaction.ExecuteAsync(
            $"""
            DELETE FROM {Command} WHERE id IN (
                SELECT c.id FROM {Command} AS c WHERE c.done_at < {transaction.Spelling.Later(Kept)} ORDER BY c.done_at LIMIT {MostForgotten}
                {transaction.Spelling.ForUpdateOfFree("c")})
            """,
            cancellation);

    // Anybody may have inserted it who has the right to, and SQLite's columns take values of any type.
    private static CommandRow Row(DbDataReader row)
    {
        var (id, target, verb) = (row.GetInt64(0), row.GetString(1), row.GetString(2));
        if (!Verbs.Contains(verb))
            return Unreadable($"Its verb is '{verb}'; it must be one of {string.Join(", ", Verbs)}.");
        for (var column = FirstNumber; column < row.FieldCount; column++)
        {
            if (row.GetValue(column) is not (DBNull or int or long) && column != PlaceColumn)
                return Unreadable($"Its {row.GetName(column)} is no whole number.");
        }
        if (row.LongOrNull(LanesColumn) is < 0 or > int.MaxValue)
            return Unreadable("Its lanes are no number of lanes.");
        return new(id, target, Enum.Parse<CommandVerb>(verb))
        {
            PersistenceId = row.TextOrNull(3),
            SequenceNumber = row.LongOrNull(FirstNumber),
            Ordering = row.LongOrNull(5),
            Timestamp = row.LongOrNull(6),
            Place = row.TextOrNull(PlaceColumn),
            Lanes = row.IntOrNull(LanesColumn),
        };

        CommandRow Unreadable(string why) => new(id, target, default) { VerbText = verb, Unreadable = why };
    }
}
