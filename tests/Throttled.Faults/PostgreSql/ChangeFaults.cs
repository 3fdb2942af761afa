using Npgsql;

namespace Throttled.Faults.PostgreSql;

/// <summary>Changes by administrators on a running server: settings, access, and the columns of the table.</summary>
internal static class ChangeFaults
{
    internal static ServerFault RejectedByAddress { get; } = new(
        "pg_hba.conf rejects the reader",
        async run =>
        {
            run.Server.Reject(PostgreSqlServer.Reader);
            await ReloadAsync(run);
            await run.TerminateAsync();
            await run.Meter.MoreAsync(3, "probe");
        },
        async run =>
        {
            run.Server.RejectNobody();
            await ReloadAsync(run);
        });

    internal static ServerFault ShortTimeouts { get; } = Settings(
        "ALTER SYSTEM: time-outs of 20 ms", ["lock_timeout", "idle_session_timeout", "idle_in_transaction_session_timeout"], "20ms");

    /// <summary>Sessions of the reader start with this timeout until they set their own.</summary>
    internal static ServerFault ShortStatements { get; } = Settings("ALTER SYSTEM: statement_timeout of 1 ms", ["statement_timeout"], "1ms");

    /// <summary>An old table may have the type integer.</summary>
    internal static ServerFault OrderingWidened { get; } = new(
        "ordering altered to integer, and to bigint",
        async run =>
        {
            await AlterAsync(run, "integer");
            await run.Meter.MoreAsync(5, "keys");
        },
        run => AlterAsync(run, "bigint"));

    /// <summary>Queries in journal order wait for each number that the increment leaves out, until no transaction can commit it.</summary>
    internal static ServerFault NumbersLeftOut { get; } = new(
        "ALTER SEQUENCE: INCREMENT 10, and 1 again",
        async run =>
        {
            await run.ExecuteAsync("ALTER SEQUENCE journal_ordering_seq INCREMENT 10");
            await run.Meter.MoreAsync(10, "keys");
        },
        run => run.ExecuteAsync("ALTER SEQUENCE journal_ordering_seq INCREMENT 1"));

    // Settings of the system, so all sessions get them, except those of the test itself, which undo them.
    private static ServerFault Settings(string name, string[] settings, string value) => new(
        name,
        async run =>
        {
            foreach (var setting in settings)
                await run.ExecuteAsync($"ALTER SYSTEM SET {setting} = '{value}'");
            await ReloadAsync(run);
            await run.TerminateAsync();
            await run.Meter.MoreAsync(3, "probe");
        },
        async run =>
        {
            await run.ExecuteAsync("ALTER SYSTEM RESET ALL");
            await ReloadAsync(run);
        });

    private static async Task AlterAsync(ServerRun run, string type)
    {
        await AlterAsync(run, run.Journal.Table, "ordering", type);
        await AlterAsync(run, run.Journal.TagTable, "ordering_id", type);
    }

    // ALTER locks the table and then the sequence. A reader of both locks them in another order, so the server ends one of the two.
    private static Task AlterAsync(ServerRun run, string table, string column, string type) => Wait.UntilAsync(
        async () =>
        {
            try
            {
                await run.ExecuteAsync($"ALTER TABLE {table} ALTER COLUMN {column} TYPE {type}");
                return true;
            }
            catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.DeadlockDetected)
            {
                return false;
            }
        },
        () => $"a column of {type}");

    private static Task ReloadAsync(ServerRun run) => run.ExecuteAsync("SELECT pg_reload_conf()");
}
