using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Store;

/// <summary>The tables of each version before the newest, as they were released, and rows as a process of that release wrote them.</summary>
internal static class ReleasedTables
{
    internal const long At = 40;

    /// <summary>The ordering of the only dead letter, of <see cref="Poisoned"/>.</summary>
    internal const long DeadLetter = 5;

    internal const string Poisoned = "id-5";

    private const string Time = "'2026-11-20T10:00:00.000Z'";

    internal static async Task<TestReadModel> CreateAsync(string database, int version)
    {
        var readModel = await TestReadModel.AbsentAsync(database);
        var name = FileOf(database, version);
        using var reader = new StreamReader(typeof(ReleasedTables).Assembly.GetManifestResourceStream(name) ?? throw new InvalidOperationException($"{name} is missing."));
        var script = (await reader.ReadToEndAsync()).ReplaceLineEndings("\n");
        foreach (var batch in readModel.IsSqlServer ? script.Split("\nGO\n", StringSplitOptions.RemoveEmptyEntries) : [script])
            await readModel.ExecuteAsync(batch);
        return readModel;
    }

    internal static string FileOf(string database, int version) => $"{database.Replace(" ", "", StringComparison.Ordinal).ToLowerInvariant()}-{version}.sql";

    /// <summary>
    /// The projection <c>seen</c> of two lanes: all events up to <see cref="At"/> are handled, except a dead letter with a waiting retry. The rebuild
    /// <c>seen_2</c> is paused, at the start. Another projection has shards.
    /// </summary>
    internal static async Task FillAsync(TestReadModel readModel, int version)
    {
        var no = readModel.Dialect.Flag(false);
        await InsertAsync(readModel, "throttled_projection (version, projection, role, source, lanes, epoch, paused, resumes, journal_end, journal_end_seen_at)",
            $"'seen', 'seen', 'Live', 'all', 2, 7, {no}, 3, 50, {Time}", $"'seen_2', 'seen', 'Building', 'all', 1, 8, {readModel.Dialect.Flag(true)}, 0, 50, NULL", $"'far', 'far', 'Live', 'tag:x', 2, 9, {no}, 0, 0, NULL");
        await InsertAsync(readModel, "throttled_projection_shard (version, shard, first_slice, last_slice, journal_end, journal_end_seen_at)",
            $"'far', 0, 0, 511, 11, {Time}", "'far', 1, 512, 1023, 12, NULL");
        await InsertAsync(readModel, "throttled_projection_lane (version, lane, first_slice, last_slice, owner, lease_until, state, error, events_per_second, read_up_to, updated_at)",
            $"'seen', 0, 0, 511, 'old-process', {Time}, 'Running', NULL, 12.5, {At}, {Time}", $"'seen', 1, 512, 1023, NULL, NULL, 'Failed', 'no such account', 0, 0, {Time}",
            "'seen_2', 0, 0, 1023, NULL, NULL, 'Idle', NULL, 0, 0, NULL", "'far', 0, 0, 511, NULL, NULL, 'Idle', NULL, 0, 0, NULL", "'far', 1, 512, 1023, NULL, NULL, 'Idle', NULL, 0, 0, NULL");
        var (unhandled, lanes, origin) = (version >= 2, version >= 2, version >= Schema.FirstWithOrigins);
        await InsertAsync(readModel, $"throttled_projection_offset (version, first_slice, last_slice, ordering, timestamp, epoch, events{(unhandled ? ", unhandled" : "")}, moved_at)",
            $"'seen', 0, 511, {At}, 400, 7, 21{(unhandled ? ", 2" : "")}, {Time}", $"'seen', 512, 1023, {At}, 400, 7, 19{(unhandled ? ", 0" : "")}, NULL",
            $"'seen_2', 0, 1023, 0, 0, 8, 0{(unhandled ? ", 0" : "")}, NULL", $"'far', 0, 511, 3, 30, 9, 1{(unhandled ? ", 0" : "")}, NULL", $"'far', 512, 1023, 4, 40, 9, 1{(unhandled ? ", 0" : "")}, NULL");
        await InsertAsync(readModel, "throttled_projection_process (projection, process, lease_until)", $"'seen', 'old-process', {Time}");
        await InsertAsync(readModel, "throttled_projection_dead_letter (version, persistence_id, sequence_number, ordering, slice, timestamp, serializer_id, manifest, payload, omitted_bytes, tags, error, attempts, dead_lettered_at, tried_at)",
            $"'seen', '{Poisoned}', 1, {DeadLetter}, {JournalSlices.Of(Poisoned)}, 50, NULL, 'number', {(readModel.IsSqlite ? "x'35'" : readModel.IsSqlServer ? "0x35" : "'\\x35'::bytea")}, 0, '[\"red\"]', 'it failed', 5, {Time}, {Time}");
        var columns = $"projection, version, verb, persistence_id, ordering, slice, state, result, created_at, done_at{(lanes ? ", lanes" : "")}{(origin ? ", given_by, given_on, reason" : "")}";
        var (noLanes, by) = (lanes ? ", NULL" : "", origin ? ", 'ann', 'host-a', 'ticket 7'" : "");
        await InsertAsync(readModel, $"throttled_projection_command ({columns})",
            $"'seen', 'seen', 'Reset', NULL, 0, NULL, 'Done', 'it is empty', {Time}, {Time}{noLanes}{by}",
            $"'seen', 'seen', 'Retry', '{Poisoned}', NULL, {JournalSlices.Of(Poisoned)}, 'Waiting', NULL, {Time}, NULL{noLanes}{by}",
            $"'far', 'far', 'Drop', NULL, NULL, NULL, 'Refused', 'it is live', {Time}, {Time}{noLanes}{by}");
    }

    /// <summary>All rows of the tables, with the columns that a version has.</summary>
    internal static async Task<List<string>> RowsAsync(TestReadModel readModel, IEnumerable<string> columns)
    {
        List<string> rows = [];
        foreach (var table in columns.Select(column => column.Split(' ')).Where(column => column[0] is not (Schema.Status or Schema.SchemaVersion)).GroupBy(column => column[0], column => column[1]))
        {
            await using var command = readModel.ReadModel.Source.CreateCommand($"SELECT {string.Join(", ", table)} FROM {table.Key} ORDER BY 1, 2, 3");
            await using var row = await command.ExecuteReaderAsync();
            while (await row.ReadAsync())
                rows.Add($"{table.Key}: {string.Join("|", Enumerable.Range(0, row.FieldCount).Select(column => row.GetValue(column) is byte[] bytes ? Convert.ToHexString(bytes) : row.GetValue(column)))}");
        }
        return rows;
    }

    /// <summary>Table, name, type, nullability and default of each column.</summary>
    internal static async Task<List<string>> ColumnsAsync(TestReadModel readModel)
    {
        await using var command = readModel.ReadModel.Source.CreateCommand(readModel.IsSqlite
            ? "SELECT t.name, c.name, c.type, c.\"notnull\", coalesce(c.dflt_value, '') FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c WHERE t.name LIKE 'throttled%' AND t.type <> 'index' ORDER BY t.name, c.name"
            : readModel.IsSqlServer
            ? "SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, IS_NULLABLE, coalesce(COLUMN_DEFAULT, '') FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = SCHEMA_NAME() ORDER BY 1, 2"
            : "SELECT table_name::text, column_name::text, data_type::text, is_nullable::text, coalesce(column_default, '')::text "
                + "FROM information_schema.columns WHERE table_schema = current_schema() ORDER BY 1, 2");
        await using var row = await command.ExecuteReaderAsync();
        List<string> columns = [];
        while (await row.ReadAsync())
            columns.Add(string.Join(' ', Enumerable.Range(0, 5).Select(row.GetValue)));
        return columns;
    }

    private static Task InsertAsync(TestReadModel readModel, string into, params string[] rows) =>
        readModel.ExecuteAsync($"INSERT INTO {into} VALUES {string.Join(", ", rows.Select(row => $"({row})"))}");
}
