using Npgsql;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Doctor;

/// <summary>What a PostgreSQL server says about itself, this login and the journal.</summary>
internal sealed record PostgreSqlFacts
{
    public required string Version { get; init; }

    public required string Database { get; init; }

    public required string User { get; init; }

    public required bool IsSuperuser { get; init; }

    /// <summary>Connections that all ordinary users together may open.</summary>
    public required int Usable { get; init; }

    public required int Used { get; init; }

    /// <summary>The CONNECTION LIMIT of the login's role; -1 if there is none, and for a superuser, who has no such limit.</summary>
    public required int RoleLimit { get; init; }

    /// <summary>The CONNECTION LIMIT of the database; -1 if there is none, and for a superuser.</summary>
    public required int DatabaseLimit { get; init; }

    /// <summary>The port on which the server listens; null for a Unix domain socket.</summary>
    public required int? Port { get; init; }

    /// <summary>The server's clock minus this machine's.</summary>
    public required TimeSpan ClockSkew { get; init; }

    /// <summary>Whether two successive statements ran on different connections of the server.</summary>
    public required bool ChangesBackend { get; init; }

    /// <summary>Whether the login sees the statements of other users.</summary>
    public required bool SeesStatements { get; init; }

    /// <summary>The relations that this login may not read, quoted: the journal, the tag table.</summary>
    public required IReadOnlyList<string> Refused { get; init; }

    /// <summary>The journal's schema if this login may not use it, quoted; null if it may.</summary>
    public string? HiddenSchema { get; init; }

    /// <summary>The transaction that is open for the longest time, in this database, of the users whose sessions the login sees.</summary>
    public OpenTransaction? Oldest { get; init; }

    /// <summary>What keeps all readers from the journal or from its tag table; null if nothing does.</summary>
    public TableLock? Lock { get; init; }

    public JournalSize? Size { get; init; }

    internal ConnectionLimits Limits => ConnectionLimits.Of(this);
}

/// <summary>Reads the facts.</summary>
/// <param name="connection">An open connection, with the connection string of the application.</param>
/// <param name="clock">The clock of this machine.</param>
internal sealed class PostgreSqlReading(NpgsqlConnection connection, TimeProvider clock)
{
    private const string Server =
        """
        SELECT version(), current_database(), current_user::text,
            (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
            (SELECT sum(CASE WHEN name = 'max_connections' THEN setting::int ELSE -setting::int END) FROM pg_settings
                WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections'))::int,
            (SELECT sum(numbackends) FROM pg_stat_database)::int,
            (SELECT CASE WHEN rolsuper THEN -1 ELSE rolconnlimit END FROM pg_roles WHERE rolname = current_user),
            (SELECT CASE WHEN rolsuper THEN -1 ELSE datconnlimit END FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()),
            inet_server_port(),
            pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')
        """;

    private const string Clock = "SELECT clock_timestamp(), pg_backend_pid()";

    // Reading a table without the right would fail the statement, so check the right first.
    private const string IsRefused = "SELECT to_regclass($1) IS NOT NULL AND NOT has_table_privilege(to_regclass($1)::oid, 'SELECT')";

    private const string Oldest =
        """
        SELECT extract(epoch FROM clock_timestamp() - xact_start)::float8, coalesce(usename::text, ''), coalesce(application_name, ''), coalesce(state, ''),
            left(regexp_replace(coalesce(query, ''), '\s+', ' ', 'g'), 100)
        FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL AND backend_type <> 'autovacuum worker'
        ORDER BY xact_start LIMIT 1
        """;

    private const string Columns = "SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped";

    // An expression has the number 0 and no name.
    private const string Indexes =
        """
        SELECT array(SELECT coalesce(a.attname::text, '') FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS k (number, place)
            LEFT JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.number WHERE k.place <= x.indnkeyatts ORDER BY k.place)
        FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_am m ON m.oid = i.relam
        WHERE x.indrelid = to_regclass($1) AND x.indisvalid AND x.indpred IS NULL AND m.amname = 'btree'
        """;

    internal async Task<PostgreSqlFacts> ReadAsync(IReadOnlyList<string> tables, CancellationToken cancellation)
    {
        // The first statement takes longer, because this program compiles its code on the way.
        var (_, before) = await ReadClockAsync(cancellation);
        var (skew, after) = await ReadClockAsync(cancellation);
        var refused = new List<string>();
        TableLock? held = null;
        foreach (var table in tables)
        {
            if (await ScalarAsync<bool>(IsRefused, cancellation, table))
                refused.Add(table);
            held ??= await TableLock.FindAsync(connection, table, cancellation);
        }
        var oldest = (await RowsAsync(
            Oldest, row => new OpenTransaction(TimeSpan.FromSeconds(row.GetDouble(0)), row.GetString(1), row.GetString(2), row.GetString(3), row.GetString(4)), cancellation))
            .SingleOrDefault();
        return (await RowsAsync(
            Server,
            row => new PostgreSqlFacts
            {
                Version = string.Join(' ', row.GetString(0).Split(' ').Take(2)),
                Database = row.GetString(1),
                User = row.GetString(2),
                IsSuperuser = row.GetBoolean(3),
                Usable = row.GetInt32(4),
                Used = row.GetInt32(5),
                RoleLimit = row.GetInt32(6),
                DatabaseLimit = row.GetInt32(7),
                Port = row.IsDBNull(8) ? null : row.GetInt32(8),
                SeesStatements = row.GetBoolean(9),
                ClockSkew = skew,
                ChangesBackend = before != after,
                Refused = refused,
                Oldest = oldest,
                Lock = held,
            },
            cancellation)).Single();
    }

    internal async Task<KnownTable> TableAsync(string quoted, CancellationToken cancellation)
    {
        try
        {
            return new(
                (await RowsAsync(Columns, row => row.GetString(0), cancellation, quoted)).ToHashSet(StringComparer.Ordinal),
                await RowsAsync(Indexes, IReadOnlyList<string> (row) => row.GetFieldValue<string[]>(0), cancellation, quoted));
        }
        catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.InsufficientPrivilege && quoted.Contains("\".\"", StringComparison.Ordinal))
        {
            // With a schema in the name, to_regclass fails if the login may not use it. Most often it is the schema of another layout.
            return new(new HashSet<string>(), []) { IsHidden = true };
        }
    }

    internal async Task<JournalSize> SizeAsync(string quoted, IReadOnlyList<string> tables, SizeSql sql, CancellationToken cancellation)
    {
        var bytes = 0L;
        foreach (var table in tables.Prepend(quoted).Distinct())
            bytes += await ScalarAsync<long>("SELECT coalesce(pg_total_relation_size(to_regclass($1)), 0)", cancellation, table);
        var ends = await RowsAsync(sql.Ends, row => (row.GetInt64(0), row.GetInt64(1)), cancellation);
        return SizeSql.Of(bytes, ends);
    }

    /// <summary>Whether there is a row that this login may read. A reader needs no right on the tag table if tags are in the journal.</summary>
    internal async Task<bool> AnyAsync(string text, CancellationToken cancellation)
    {
        try
        {
            return (await RowsAsync(text, row => row.FieldCount, cancellation)).Count > 0;
        }
        catch (PostgresException error) when (error.SqlState == PostgresErrorCodes.InsufficientPrivilege)
        {
            return false;
        }
    }

    private async Task<(TimeSpan Skew, int Backend)> ReadClockAsync(CancellationToken cancellation)
    {
        var start = clock.GetTimestamp();
        var here = clock.GetUtcNow();
        var (there, backend) = (await RowsAsync(Clock, row => (row.GetFieldValue<DateTimeOffset>(0), row.GetInt32(1)), cancellation)).Single();
        // Assume that the server read its clock in the middle of the round trip.
        return (there - here - (clock.GetElapsedTime(start) / 2), backend);
    }

    private async Task<T> ScalarAsync<T>(string text, CancellationToken cancellation, params string[] parameters) =>
        (await RowsAsync(text, row => row.GetFieldValue<T>(0), cancellation, parameters)).Single();

    private async Task<IReadOnlyList<T>> RowsAsync<T>(string text, Func<NpgsqlDataReader, T> read, CancellationToken cancellation, params string[] parameters)
    {
        await using var command = new NpgsqlCommand(text, connection);
        foreach (var parameter in parameters)
            command.Parameters.AddWithValue(parameter);
        await using var reader = await command.ExecuteReaderAsync(cancellation);
        List<T> rows = [];
        while (await reader.ReadAsync(cancellation))
            rows.Add(read(reader));
        return rows;
    }
}
