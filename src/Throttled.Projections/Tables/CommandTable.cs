using System.Data.Common;
using Throttled.Projections.Databases;

namespace Throttled.Projections.Tables;

/// <summary>The commands that operators gave to projections, and their outcomes.</summary>
internal static class CommandTable
{
    private const string Command = Schema.Command;
    private const string Waiting = nameof(CommandState.Waiting);
    private const string OfLane = $"c.verb IN ('{nameof(CommandVerb.Retry)}', '{nameof(CommandVerb.Discard)}')";
    private const string OfRange = "WHERE version = @version AND verb = @verb AND id BETWEEN @first AND @last";

    private const string ListColumns = "id, verb, version, persistence_id, sequence_number, state, result, created_at, done_at, given_by, given_on, reason";

    private const int FirstNumber = 4;
    private const int ShardedOffsetColumn = 7;
    private const int LanesColumn = 8;
    private const string Kept = "-604800";
    private const string MaxForgotten = "4000";

    private static readonly string[] Verbs = Enum.GetNames<CommandVerb>();
    private static readonly string[] States = Enum.GetNames<CommandState>();

    /// <summary>Reads waiting commands with higher ids than one, in the order of their ids. An index has them, so others are not read.</summary>
    internal static Task<List<CommandRow>> PageAsync(DatabaseTransaction transaction, string name, long after, int limit) =>
        transaction.ReadAsync(
            $"""
            SELECT id, version, verb, persistence_id, sequence_number, ordering, timestamp, sharded_offset, lanes FROM {Command}
            WHERE projection = @projection AND state = '{Waiting}' AND id > @after ORDER BY id {transaction.Dialect.Limit("@limit")}
            """,
            Row, ("projection", name), ("after", after), ("limit", limit));

    /// <summary>Of the given commands, those that still wait.</summary>
    internal static async Task<HashSet<long>> WaitingAsync(DatabaseTransaction transaction, IReadOnlyList<CommandRow> commands)
    {
        var rows = new SqlRows(("command", commands.Select(command => command.Id).ToArray()));
        return [.. await transaction.ReadForAsync(
            rows,
            $"SELECT c.id FROM {transaction.Dialect.Rows(rows)} JOIN {Command} AS c ON c.id = r.command WHERE c.state = '{Waiting}'{transaction.Dialect.RowByRow}",
            row => row.GetInt64(0)).ConfigureAwait(false)];
    }

    internal static async Task<long> InsertAsync(DatabaseTransaction transaction, string name, CommandRow command, CommandOrigin? origin)
    {
        await ForgetAsync(transaction).ConfigureAwait(false);
        int? slice = command.PersistenceId is { } persistenceId ? JournalSlices.Of(persistenceId) : null;
        var ids = await transaction.ReadAsync(
            $"""
            INSERT INTO {Command} (projection, version, verb, persistence_id, sequence_number, ordering, timestamp, sharded_offset, lanes, slice, state, created_at, given_by, given_on, reason)
            {transaction.Dialect.Output("inserted", "id")} VALUES (@projection, @version, @verb, @id, @number, @ordering, @timestamp, @sharded_offset, @lanes, @slice, '{Waiting}', {transaction.Dialect.Now}, @user, @host, @reason)
            {transaction.Dialect.Returning("id")}
            """,
            row => row.GetInt64(0),
            [
                ("projection", name), ("version", command.Version), ("verb", command.Verb.ToString()), ("id", command.PersistenceId), ("number", command.SequenceNumber),
                ("ordering", command.Ordering), ("timestamp", command.Timestamp), ("sharded_offset", command.ShardedOffset), ("lanes", command.Lanes), ("slice", slice),
                .. Of(origin),
            ]).ConfigureAwait(false);
        return ids[0];
    }

    /// <summary>Inserts a command that was executed already. It is only for the list of commands; no process executes it. Needs tables of version 3.</summary>
    internal static async Task InsertDoneAsync(DatabaseTransaction transaction, string name, string version, string verb, string result, CommandOrigin? origin)
    {
        await transaction.ExecuteAsync(
            $"""
            INSERT INTO {Command} (projection, version, verb, state, result, created_at, done_at, given_by, given_on, reason)
            VALUES (@projection, @version, @verb, '{nameof(CommandState.Done)}', @result, {transaction.Dialect.Now}, {transaction.Dialect.Now}, @user, @host, @reason)
            """,
            [("projection", name), ("version", version), ("verb", verb), ("result", StoredText.Of(result)), .. Of(origin)]).ConfigureAwait(false);
    }

    /// <summary>The last commands of a projection, the latest first.</summary>
    internal static Task<List<ProjectionCommand>> LastAsync(DatabaseTransaction transaction, string name, int limit) => transaction.ReadAsync(
        $"""
        SELECT {ListColumns} FROM {Command} WHERE projection = @projection ORDER BY id DESC {transaction.Dialect.Limit("@limit")}
        """,
        Given, ("projection", name), ("limit", limit));

    // Anyone with the right to insert may have written this row by hand.
    private static ProjectionCommand Given(DbDataReader row)
    {
        var state = row.GetString(5);
        var isKnown = States.Contains(state);
        return new()
        {
            Id = row.GetInt64(0),
            Verb = row.GetString(1),
            Version = row.GetString(2),
            PersistenceId = row.TextOrNull(3),
            SequenceNumber = row.GetValue(4) as long?,
            State = isKnown ? Enum.Parse<CommandState>(state) : CommandState.Refused,
            Result = isKnown ? row.TextOrNull(6) : $"Its state is '{state}'; it must be one of {string.Join(", ", States)}.",
            GivenAt = row.ValidTimeOrNull(7) ?? DateTimeOffset.UnixEpoch,
            EndedAt = row.ValidTimeOrNull(8),
            Origin = row.TextOrNull(9) is { } user ? new(user, row.TextOrNull(10), row.TextOrNull(11)) : null,
        };
    }

    internal static async Task<CommandRange> InsertForDeadLettersAsync(
        DatabaseTransaction transaction, string name, string version, CommandVerb verb, CommandOrigin? origin)
    {
        await ForgetAsync(transaction).ConfigureAwait(false);
        var ids = await transaction.ReadAsync(
            $"""
            INSERT INTO {Command} (projection, version, verb, persistence_id, slice, state, created_at, given_by, given_on, reason) {transaction.Dialect.Output("inserted", "id")}
            SELECT @projection, version, @verb, persistence_id, slice, '{Waiting}', {transaction.Dialect.Now}, @user, @host, @reason
            FROM (SELECT version, persistence_id, slice FROM {Schema.DeadLetter} WHERE version = @version
                GROUP BY version, {transaction.Dialect.Exact("persistence_id")}, slice) AS d
            {transaction.Dialect.Returning("id")}
            """,
            row => row.GetInt64(0), [("projection", name), ("verb", verb.ToString()), ("version", version), .. Of(origin)]).ConfigureAwait(false);
        return new(version, verb, ids.Count, ids.DefaultIfEmpty().Min(), ids.DefaultIfEmpty().Max());
    }

    internal static async Task<CommandOutcome> OutcomeAsync(DatabaseTransaction transaction, long id) =>
        (await transaction.ReadAsync(
            $"SELECT state, result FROM {Command} WHERE id = @id",
            row => new CommandOutcome(Enum.Parse<CommandState>(row.GetString(0)), row.TextOrNull(1) ?? ""), ("id", id)).ConfigureAwait(false))
        .SingleOrDefault(new CommandOutcome(CommandState.Refused, "The command is not there any more: its row was deleted."));

    internal static async Task<long> CountWaitingAsync(DatabaseTransaction transaction, CommandRange commands) =>
        (await transaction.ReadAsync(
            $"SELECT {transaction.Dialect.Count} FROM {Command} {OfRange} AND state = '{Waiting}'",
            row => row.GetInt64(0), commands.Parameters).ConfigureAwait(false))[0];

    internal static Task<List<string>> RefusalsAsync(DatabaseTransaction transaction, CommandRange commands) =>
        transaction.ReadAsync(
            $"SELECT persistence_id, result FROM {Command} {OfRange} AND state IN ('{nameof(CommandState.Refused)}', '{nameof(CommandState.Withdrawn)}') ORDER BY id",
            row => $"'{row.GetString(0)}': {row.TextOrNull(1)}", commands.Parameters);

    /// <summary>Locks a command until the end of the transaction, so that it cannot be withdrawn meanwhile.</summary>
    internal static async Task LockAsync(DatabaseTransaction transaction, long id)
    {
        if (await transaction.ExecuteAsync($"UPDATE {Command} SET state = state WHERE id = @id AND state = '{Waiting}'", ("id", id)).ConfigureAwait(false) == 0)
            throw new CommandEndedException(id);
    }

    internal static async Task EndAsync(DatabaseTransaction transaction, long id, CommandOutcome outcome)
    {
        if (!await TryEndAsync(transaction, id, outcome).ConfigureAwait(false))
            throw new CommandEndedException(id);
    }

    /// <summary>Returns false if the command had already ended. A second transaction that ends it waits for the end of this one.</summary>
    internal static async Task<bool> TryEndAsync(DatabaseTransaction transaction, long id, CommandOutcome outcome) =>
        await transaction.ExecuteAsync(
            $"""
            UPDATE {Command} SET state = @state, result = @result, done_at = {transaction.Dialect.Now}
            WHERE id = @id AND state = '{Waiting}'
            """,
            ("state", outcome.State.ToString()), ("result", StoredText.Of(outcome.Result)), ("id", id)).ConfigureAwait(false) > 0;

    /// <summary>Replaces the result of a command that this transaction has ended.</summary>
    internal static Task SetResultAsync(DatabaseTransaction transaction, long id, string result) =>
        transaction.ExecuteAsync($"UPDATE {Command} SET result = @result WHERE id = @id", ("result", StoredText.Of(result)), ("id", id));

    /// <summary>
    /// Withdraws those of the commands that wait and are not being executed. Returns their number. A process that executes a command has locked its row.
    /// </summary>
    /// <param name="transaction">The transaction.</param>
    /// <param name="name">The projection.</param>
    /// <param name="id">The only command; null for all of the projection.</param>
    /// <param name="result">What the command's list says.</param>
    internal static Task<int> WithdrawAsync(DatabaseTransaction transaction, string name, long? id, string result) => transaction.ExecuteAsync(
        $"""
        UPDATE {Command}{transaction.Dialect.Free} SET state = '{nameof(CommandState.Withdrawn)}', result = @result, done_at = {transaction.Dialect.Now}
        WHERE id IN (SELECT c.id FROM {Command} AS c{transaction.Dialect.Free} WHERE c.projection = @projection{(id is null ? "" : " AND c.id = @id")} AND c.state = '{Waiting}'
            {transaction.Dialect.ForUpdateOfFree("c")})
        """,
        [("projection", name), ("result", StoredText.Of(result)), .. id is { } one ? [("id", (object?)one)] : Array.Empty<(string, object?)>()]);

    internal static async Task<ProjectionCommand?> FindAsync(DatabaseTransaction transaction, string name, long id) => (await transaction.ReadAsync(
        $"SELECT {ListColumns} FROM {Command} WHERE projection = @projection AND id = @id", Given, ("projection", name), ("id", id)).ConfigureAwait(false)).SingleOrDefault();

    /// <summary>Refuses the waiting retries and discards of a version: all, or those of ids that have no dead letter any more.</summary>
    internal static Task RefuseOfLanesAsync(DatabaseTransaction transaction, VersionRow version, string result, bool ofIdsWithout) => transaction.ExecuteAsync(
        $"""
        UPDATE {Command} SET state = '{nameof(CommandState.Refused)}', result = @result, done_at = {transaction.Dialect.Now}
        WHERE projection = @projection AND state = '{Waiting}' AND id IN (
            SELECT c.id FROM {Command} AS c WHERE c.projection = @projection AND c.state = '{Waiting}' AND c.version = @version AND {OfLane}{(ofIdsWithout
            ? $" AND NOT EXISTS (SELECT 1 FROM {Schema.DeadLetter} AS d WHERE d.version = c.version AND {transaction.Dialect.Same("d.persistence_id", "c.persistence_id")})" : "")})
        """,
        ("projection", version.Projection), ("version", version.Version), ("result", StoredText.Of(result)));

    internal static Task RefuseAllAsync(DatabaseTransaction transaction, VersionRow version, string result) =>
        transaction.ExecuteAsync(
            $"""
            UPDATE {Command} SET state = '{nameof(CommandState.Refused)}', result = @result, done_at = {transaction.Dialect.Now}
            WHERE projection = @projection AND state = '{Waiting}' AND version = @version
            """,
            ("result", StoredText.Of(result)), ("projection", version.Projection), ("version", version.Version));

    // Removes commands that ended more than seven days ago, the oldest first. At most 4,000, because inserts wait for it, and because SQL Server locks the
    // whole table for more than some 5,000: https://learn.microsoft.com/sql/relational-databases/sql-server-transaction-locking-and-row-versioning-guide
    internal static Task ForgetAsync(DatabaseTransaction transaction) =>
        transaction.ExecuteAsync(
            $"""
            DELETE FROM {Command}{transaction.Dialect.Free} WHERE id IN (
                SELECT c.id FROM {Command} AS c{transaction.Dialect.Free} WHERE c.done_at < {transaction.Dialect.Later(Kept)}
                ORDER BY c.done_at {transaction.Dialect.Limit(MaxForgotten)}
                {transaction.Dialect.ForUpdateOfFree("c")})
            """);

    private static (string Name, object? Value)[] Of(CommandOrigin? origin) =>
        [("user", StoredText.Of(origin?.User)), ("host", StoredText.Of(origin?.Host)), ("reason", StoredText.Of(origin?.Reason))];

    // Anyone with the right to insert may have written this row by hand, and SQLite's columns take values of any type.
    private static CommandRow Row(DbDataReader row)
    {
        var (id, version, verb) = (row.GetInt64(0), row.GetString(1), row.GetString(2));
        if (!Verbs.Contains(verb))
            return Unreadable($"Its verb is '{verb}'; it must be one of {string.Join(", ", Verbs)}.");
        for (var column = FirstNumber; column < row.FieldCount; column++)
        {
            if (row.GetValue(column) is not (DBNull or int or long) && column != ShardedOffsetColumn)
                return Unreadable($"Its {row.GetName(column)} is not a whole number.");
        }
        if (row.GetValue(LanesColumn) is long and (< 0 or > int.MaxValue) or int and < 0)
            return Unreadable("Its lanes value is not a valid number of lanes.");
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

/// <summary>A row of the command table. Commands of a lane are executed in the order of their ids. The version of a rebuild is the new one.</summary>
internal sealed record CommandRow(long Id, string Version, CommandVerb Verb)
{
    internal string? PersistenceId { get; init; }

    /// <summary>Null means all dead letters of the id.</summary>
    internal long? SequenceNumber { get; init; }

    /// <summary>The ordering that a reset goes back to; 0 for the first event.</summary>
    internal long? Ordering { get; init; }

    /// <summary>The offset in a sharded journal that a reset goes back to, in the format of <see cref="ShardedPosition"/>.</summary>
    internal string? ShardedOffset { get; init; }

    /// <summary>The time that a reset goes back to, in UTC ticks; null if the reset names an ordering.</summary>
    internal long? Timestamp { get; init; }

    internal int? Lanes { get; init; }

    /// <summary>Whether a reset goes back to the start of the read model.</summary>
    internal bool IsToStart => Ordering is null && ShardedOffset is null && Timestamp is null;

    /// <summary>What is invalid in a row that was inserted by hand; null if nothing is.</summary>
    internal string? Unreadable { get; init; }

    internal string VerbText { get; init; } = Verb.ToString();

    internal string? Refusal => Unreadable
        ?? (Verb is CommandVerb.Retry or CommandVerb.Discard && PersistenceId is null ? $"Its persistence_id is null, and {Verb} needs one." : null);

    /// <summary>Whether a lane executes the command; the leading process executes the others.</summary>
    internal bool IsForLane => Verb is CommandVerb.Retry or CommandVerb.Discard && Refusal is null;
}

// Stored by name.
internal enum CommandVerb
{
    Reset,
    Rebuild,
    Swap,

    /// <summary>Without the check of what the rebuild has lost.</summary>
    ForcedSwap,

    Drop,

    SetLanes,

    Retry,
    Discard,
}

/// <summary>Commands that one call inserted. Others' commands in this range have another version or verb, or wait as well.</summary>
internal sealed record CommandRange(string Version, CommandVerb Verb, int Count, long First, long Last)
{
    internal (string Name, object? Value)[] Parameters =>
        [("version", Version), ("verb", Verb.ToString()), ("first", First), ("last", Last)];
}

/// <summary>The state of a command, and a text for people: what was done, or why it was refused.</summary>
internal sealed record CommandOutcome(CommandState State, string Result)
{
    internal static CommandOutcome Done(string result) => new(CommandState.Done, result);

    internal static CommandOutcome Refused(string reason) => new(CommandState.Refused, reason);
}

/// <summary>Another process has executed the command, or it was refused or withdrawn. The caller wrote nothing.</summary>
internal sealed class CommandEndedException(long id) : FencedException(FormattableString.Invariant($"Command {id} has ended before."));
