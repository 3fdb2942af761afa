using System.Data.Common;
using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Doctor;

/// <summary>What to check.</summary>
internal sealed record CheckupSettings
{
    /// <summary>sqlite or postgres.</summary>
    public required string Database { get; init; }

    /// <summary>The value of the option; null if it is not given.</summary>
    public required string? Connection { get; init; }

    public required string Layout { get; init; }

    public required JournalTables Tables { get; init; }

    public PlannedReaders? Planned { get; init; }
}

/// <summary>Connects as the application does, and checks everything that a reader depends on. It writes nothing.</summary>
internal sealed class Checkup(CheckupSettings settings)
{
    private const string TablesHint = "a table is missing, or is not the expected one. Correct --layout and --journal-table.";

    /// <exception cref="CommandException">The database cannot be reached.</exception>
    internal async Task<IReadOnlyList<Finding>> RunAsync(CancellationToken cancellation) =>
        settings.Database == OptionText.Sqlite ? await OfSqliteAsync(cancellation) : await OfPostgreSqlAsync(cancellation);

    private async Task<IReadOnlyList<Finding>> OfPostgreSqlAsync(CancellationToken cancellation)
    {
        var server = PostgreSqlServer.Read("--connection", settings.Connection);
        try
        {
            // A pool would hide that a pooler gives another connection to each statement.
            var alone = new NpgsqlConnectionStringBuilder(server.ConnectionString) { Pooling = false, ApplicationName = server.ApplicationName ?? "throttled doctor" };
            await using var connection = CommandException.OfConnection(() => new NpgsqlConnection(alone.ConnectionString));
            await connection.OpenAsync(cancellation);
            var reading = new PostgreSqlReading(connection, TimeProvider.System);
            var dialect = new PostgreSqlDialect();
            var catalog = await TableCatalog.ReadAsync(dialect, settings.Tables, name => reading.TableAsync(name, cancellation));
            var findings = new TableFindings(settings.Layout, settings.Tables, catalog, isSqlite: false);
            var (journal, read) = (catalog.Journal(settings.Tables), Read(catalog));
            var facts = (await reading.ReadAsync(read, cancellation)) with { HiddenSchema = journal.IsHidden ? dialect.Quote(settings.Tables.Schema!) : null };
            var sql = new SizeSql(dialect, settings.Tables);
            var canRead = findings.IsReadable && facts.Refused.Count == 0;
            if (canRead)
                facts = facts with { Size = await reading.SizeAsync(catalog.NameOfJournal(settings.Tables), read, sql, cancellation) };
            var checks = new PostgreSqlFindings(facts, server.Port, settings.Planned).All(hasJournal: journal.IsThere).Concat(findings.Columns()).ToList();
            if (!canRead)
                return checks;
            checks.AddRange(findings.Tags(await PlacesAsync(catalog, sql, text => reading.AnyAsync(text, cancellation))));
            checks.AddRange(findings.Indexes());
            return [.. checks, .. await ProbeAsync(options => PostgreSqlJournal.OpenDatabase(server.ConnectionString, options), cancellation)];
        }
        catch (DbException error)
        {
            throw PostgreSqlServer.Explain(error, TablesHint, server);
        }
    }

    private async Task<IReadOnlyList<Finding>> OfSqliteAsync(CancellationToken cancellation)
    {
        var given = SqliteFile.ReadExisting("--connection", settings.Connection);
        var file = Path.GetFullPath(given.DataSource);
        try
        {
            await using var connection = new SqliteConnection(new SqliteConnectionStringBuilder(given.ConnectionString) { Mode = SqliteOpenMode.ReadOnly, Pooling = false }.ConnectionString);
            await connection.OpenAsync(cancellation);
            var reading = new SqliteReading(connection);
            var dialect = new SqliteDialect();
            var catalog = await TableCatalog.ReadAsync(dialect, settings.Tables, name => Task.FromResult(reading.Table(name)));
            var findings = new TableFindings(settings.Layout, settings.Tables, catalog, isSqlite: true);
            var sql = new SizeSql(dialect, settings.Tables);
            var wal = new FileInfo($"{file}-wal");
            var checks = SqliteFindings.Of(reading.Version, file, wal.Exists ? wal.Length : 0, findings.IsReadable ? reading.Size(file, sql) : null).Concat(findings.Columns()).ToList();
            if (!findings.IsReadable)
                return checks;
            checks.AddRange(findings.Tags(await PlacesAsync(catalog, sql, text => Task.FromResult(reading.Any(text)))));
            checks.AddRange(findings.Indexes());
            return [.. checks, .. await ProbeAsync(options => SqliteJournal.OpenDatabase(given.ConnectionString, options), cancellation)];
        }
        catch (DbException error)
        {
            throw SqliteFile.Explain(error, TablesHint, ("--connection", file));
        }
    }

    // The tables of the reader that are there.
    private List<string> Read(TableCatalog catalog)
    {
        List<string> names = [];
        if (catalog.Journal(settings.Tables).IsThere)
            names.Add(catalog.NameOfJournal(settings.Tables));
        if (settings.Tables.TagMode == TagMode.TagTable && catalog.Tags(settings.Tables).IsThere)
            names.Add(catalog.NameOfTags(settings.Tables));
        return names;
    }

    // If tags are in the journal, a table of that name may be another application's. Its columns tell.
    private async Task<TagPlaces> PlacesAsync(TableCatalog catalog, SizeSql sql, Func<string, Task<bool>> any)
    {
        var (tables, tags) = (settings.Tables, catalog.Tags(settings.Tables));
        var isOurs = tables.TagMode == TagMode.TagTable || (tags.Columns.Contains(tables.TagColumn) && tags.Columns.Contains(tables.TagOrderingColumn));
        return new(
            tags.IsThere && isOurs && await any(sql.AnyTag),
            catalog.Journal(tables).Columns.Contains(tables.TagsColumn) && await any(sql.AnyTagInColumn));
    }

    // The engine probes the journal when the application opens it. This is the same probe, so it has the same warnings and refusals.
    private async Task<IEnumerable<Finding>> ProbeAsync(Func<JournalOptions, IJournalDatabase> open, CancellationToken cancellation)
    {
        await using var database = CommandException.OfConnection(() => open(new() { Tables = settings.Tables }));
        try
        {
            return Of(await database.ProbeAsync(cancellation));
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            return [Finding.Bad("reader", $"A reader cannot use the journal: {database.ReasonOf(error).TrimEnd('.')}", "Correct this first")];
        }
    }

    private static IEnumerable<Finding> Of(ProbeResult probe)
    {
        if (probe.OrderRefusal is { } refusal)
            yield return Finding.Bad("ordering", "Queries in journal order are refused", refusal);
        else if (probe.Warning is { } warning)
            yield return Finding.Warning("reader", "A reader works, and logs a warning (id 6)", warning);
        else
            yield return Finding.Good("reader", FormattableString.Invariant($"a reader on this machine runs at most {probe.StatementCeiling} statements at once, because {probe.CeilingReason}"));
    }
}
