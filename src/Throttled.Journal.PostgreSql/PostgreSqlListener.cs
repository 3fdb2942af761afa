using Npgsql;

namespace Throttled.Journal.PostgreSql;

/// <summary>Receives the notifications of the trigger in <c>docs/sql/notify-postgresql.sql</c> on a separate connection.</summary>
internal sealed class PostgreSqlListener(PostgreSqlSource source, JournalTables tables)
{
    /// <summary>The channel of all journals. The payload is the table's name.</summary>
    internal const string Channel = "throttled_journal";

    internal const string Listen = $"LISTEN {Channel}";

    internal async Task RunAsync(Action wake, CancellationToken cancellation)
    {
        var connection = await source.OpenAsync(cancellation).ConfigureAwait(false);
        await using var closing = connection.ConfigureAwait(false);
        connection.Notification += (_, notification) =>
        {
            if (notification.Payload == tables.JournalTable)
                wake();
        };
        var command = new NpgsqlCommand(Listen, connection);
        await using var closed = command.ConfigureAwait(false);
        await command.ExecuteNonQueryAsync(cancellation).ConfigureAwait(false);
        while (true)
            await connection.WaitAsync(cancellation).ConfigureAwait(false);
    }
}
