using System.Data.Common;
using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using Npgsql;
using Throttled.Journal.Database;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Journal.SqlServer;
using Throttled.Tool.CommandLine;
using static System.FormattableString;

namespace Throttled.Tool.Doctor;

/// <summary>What to check.</summary>
internal sealed record CheckupSettings
{
    public required DatabaseChoice Place { get; init; }

    /// <summary>The name of the layout.</summary>
    public required string Layout { get; init; }

    /// <summary>The options with which the application opens the journal, as far as they are known.</summary>
    public required JournalOptions Options { get; init; }

    public PlannedReaders? Planned { get; init; }
}

/// <summary>Connects as the application does, and checks everything that a reader depends on. It writes nothing.</summary>
internal sealed class Checkup(CheckupSettings settings)
{
    private const string TablesHint = "a table is missing, or is not the expected one. Correct --layout and --journal-table.";

    private JournalTables Tables => settings.Options.Tables;

    /// <exception cref="CommandException">The database cannot be reached.</exception>
    internal async Task<IReadOnlyList<Finding>> RunAsync(CancellationToken cancellation) =>
        settings.Place.Kind switch
        {
            OptionText.Sqlite => await OfSqliteAsync(cancellation),
            OptionText.Postgres => await OfPostgreSqlAsync(cancellation),
            _ => await OfSqlServerAsync(cancellation),
        };

    private async Task<IReadOnlyList<Finding>> OfPostgreSqlAsync(CancellationToken cancellation)
    {
        var server = PostgreSqlServer.Read(settings.Place.Source, settings.Place.Connection);
        try
        {
            // A pool would hide that a pooler gives another connection to each statement.
            var alone = new NpgsqlConnectionStringBuilder(server.ConnectionString) { Pooling = false, ApplicationName = server.ApplicationName ?? "throttled doctor" };
            await using var connection = CommandException.OfConnection(() => new NpgsqlConnection(alone.ConnectionString));
            await connection.OpenAsync(cancellation);
            var reading = new PostgreSqlReading(connection, TimeProvider.System);
            var dialect = new PostgreSqlDialect();
            var catalog = await TableCatalog.ReadAsync(dialect, Tables, name => reading.TableAsync(name, cancellation));
            var findings = new TableFindings(settings.Layout, Tables, catalog, IndexStatement.PostgreSql);
            var (journal, read) = (catalog.Journal(Tables), Read(catalog));
            var facts = (await reading.ReadAsync(read, cancellation)) with { HiddenSchema = journal.IsHidden ? dialect.Quote(Tables.Schema!) : null };
            var canRead = findings.IsReadable && facts is { Refused.Count: 0, Lock: null };
            if (canRead)
                facts = facts with { Size = await reading.SizeAsync(catalog.NameOfJournal(Tables), read, new(dialect, Tables), cancellation) };
            var checks = new PostgreSqlFindings(facts, server.Port, settings.Planned).All(hasJournal: journal.IsThere).Concat(findings.Columns()).ToList();
            if (!canRead)
                return checks;
            return [.. checks, .. await OfReadableAsync(
                new(findings, catalog, text => reading.AnyAsync(text, cancellation), options => PostgreSqlJournal.OpenDatabase(server.ConnectionString, options)) { Limits = facts.Limits }, cancellation)];
        }
        catch (DbException error)
        {
            throw PostgreSqlServer.Explain(error, TablesHint, server, settings.Place.Source);
        }
    }

    private async Task<IReadOnlyList<Finding>> OfSqlServerAsync(CancellationToken cancellation)
    {
        var server = SqlServerAddress.Read(settings.Place.Source, settings.Place.Connection);
        try
        {
            await using var connection = new SqlConnection(new SqlConnectionStringBuilder(server.ConnectionString) { Pooling = false, ConnectRetryCount = 0 }.ConnectionString);
            await connection.OpenAsync(cancellation);
            var reading = new SqlServerReading(connection, TimeProvider.System);
            var dialect = new SqlServerDialect();
            var catalog = await TableCatalog.ReadAsync(dialect, Tables, name => reading.TableAsync(name, cancellation));
            var findings = new TableFindings(settings.Layout, Tables, catalog, IndexStatement.SqlServer);
            var read = Read(catalog);
            var facts = await reading.ReadAsync(read, cancellation);
            var canRead = findings.IsReadable && facts.Refused.Count == 0;
            if (canRead)
                facts = facts with { Size = await reading.SizeAsync(read, new(dialect, Tables), cancellation) };
            var checks = new SqlServerFindings(facts, settings.Planned).All(hasJournal: catalog.Journal(Tables).IsThere).Concat(findings.Columns()).ToList();
            if (!canRead)
                return checks;
            return [.. checks, .. await OfReadableAsync(
                new(findings, catalog, text => reading.AnyAsync(text, cancellation), options => SqlServerJournal.OpenDatabase(server.ConnectionString, options)), cancellation)];
        }
        catch (DbException error)
        {
            throw SqlServerAddress.Explain(error, TablesHint, server, settings.Place.Source);
        }
        catch (NotSupportedException error)
        {
            // The driver needs ICU.
            throw new CommandException(SqlServerFaults.ReasonOf(error), error);
        }
    }

    private async Task<IReadOnlyList<Finding>> OfSqliteAsync(CancellationToken cancellation)
    {
        var given = SqliteFile.ReadExisting(settings.Place.Source, settings.Place.Connection);
        var file = Path.GetFullPath(given.DataSource);
        try
        {
            await using var connection = new SqliteConnection(new SqliteConnectionStringBuilder(given.ConnectionString) { Mode = SqliteOpenMode.ReadOnly, Pooling = false }.ConnectionString);
            await connection.OpenAsync(cancellation);
            var reading = new SqliteReading(connection);
            var dialect = new SqliteDialect();
            var catalog = await TableCatalog.ReadAsync(dialect, Tables, name => Task.FromResult(reading.Table(name)));
            var findings = new TableFindings(settings.Layout, Tables, catalog, IndexStatement.Sqlite);
            var wal = new FileInfo($"{file}-wal");
            var checks = SqliteFindings.Of(reading.Version, file, wal.Exists ? wal.Length : 0, findings.IsReadable ? reading.Size(file, new(dialect, Tables)) : null).Concat(findings.Columns()).ToList();
            if (!findings.IsReadable)
                return checks;
            return [.. checks, .. await OfReadableAsync(
                new(findings, catalog, text => Task.FromResult(reading.Any(text)), options => SqliteJournal.OpenDatabase(given.ConnectionString, options)), cancellation)];
        }
        catch (DbException error)
        {
            throw SqliteFile.Explain(error, TablesHint, (settings.Place.Source, file));
        }
    }

    // The checks that read the tables.
    private async Task<IEnumerable<Finding>> OfReadableAsync(ReadableJournal journal, CancellationToken cancellation) =>
        [.. journal.Findings.Tags(await PlacesAsync(journal.Catalog, journal.Any)), .. journal.Findings.Indexes(), .. await ProbeAsync(journal, cancellation)];

    // The tables of the reader that are there.
    private List<string> Read(TableCatalog catalog)
    {
        List<string> names = [];
        if (catalog.Journal(Tables).IsThere)
            names.Add(catalog.NameOfJournal(Tables));
        if (Tables.TagMode == TagMode.TagTable && catalog.Tags(Tables).IsThere)
            names.Add(catalog.NameOfTags(Tables));
        return names;
    }

    // If tags are in the journal, a table of that name may be another application's. Its columns tell.
    private async Task<TagPlaces> PlacesAsync(TableCatalog catalog, Func<string, Task<bool>> any)
    {
        var (tables, tags, sql) = (Tables, catalog.Tags(Tables), new SizeSql(catalog.Dialect, Tables));
        var isOurs = tables.TagMode == TagMode.TagTable || (tags.Columns.Contains(tables.TagColumn) && tags.Columns.Contains(tables.TagOrderingColumn));
        return new(
            tags.IsThere && isOurs && await any(sql.AnyTag),
            catalog.Journal(tables).Columns.Contains(tables.TagsColumn) && await any(sql.AnyTagInColumn));
    }

    // The engine probes the journal when the application opens it. This is the same probe, so it has the same warnings and refusals.
    private async Task<IEnumerable<Finding>> ProbeAsync(ReadableJournal journal, CancellationToken cancellation)
    {
        await using var database = CommandException.OfConnection(() => journal.Open(settings.Options), settings.Place.Source);
        try
        {
            var probe = await database.ProbeAsync(cancellation);
            return [.. Warnings(probe), Ceiling(probe, journal.Limits)];
        }
        catch (Exception error) when (error is not OperationCanceledException)
        {
            return [Finding.Bad("reader", $"A reader cannot use the journal: {database.ReasonOf(error).TrimEnd('.')}", "Correct this first")];
        }
    }

    private static IEnumerable<Finding> Warnings(ProbeResult probe)
    {
        if (probe.OrderRefusal is { } refusal)
            yield return Finding.Bad("ordering", "Queries in journal order are refused", refusal);
        else if (probe.Warning is { } warning)
            yield return Finding.Warning("reader", "A reader works, and logs a warning (id 6)", warning);
    }

    // A reader knows max_connections, but not the limits of role and database, so it opens connections that these refuse.
    private Finding Ceiling(ProbeResult probe, ConnectionLimits? limits)
    {
        var readers = settings.Planned ?? new(1, Math.Min(settings.Options.MaxConcurrentQueries, probe.StatementCeiling));
        var most = Math.Min(readers.Permits, probe.StatementCeiling);
        return limits is null || limits.Permits(1) >= most
            ? Finding.Good("reader", Invariant($"a reader on this machine runs at most {probe.StatementCeiling} statements at once, because {probe.CeilingReason}"))
            : Finding.Warning(
                "reader",
                Invariant($"A reader runs up to {most} statements at once, but the {limits.Smallest.Name} is {limits.Smallest.Most}: the server refuses further connections (log id 5)"),
                limits.Remedy(readers));
    }
}

/// <summary>A journal that can be read, and how to read it.</summary>
internal sealed record ReadableJournal(TableFindings Findings, TableCatalog Catalog, Func<string, Task<bool>> Any, Func<JournalOptions, IJournalDatabase> Open)
{
    /// <summary>The limits on connections; null if the database has none that the reader does not know.</summary>
    public ConnectionLimits? Limits { get; init; }
}
