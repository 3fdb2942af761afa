using System.Data.Common;
using System.Security.Authentication;
using CrushTest.Floor;
using CrushTest.Settings;
using Microsoft.Data.SqlClient;
using Throttled.Journal.SqlServer;
using Throttled.Tool.CommandLine;

namespace CrushTest.Databases;

/// <summary>A SQL Server. The readers' connections have their own application name, by which the server's view counts them.</summary>
internal sealed class SqlServerCrush : CrushDatabase
{
    private const string ReadersName = "throttled-crush-readers";

    private const string Form = "\"Server=…;Database=…;User ID=…;Password=…\"";

    // From this severity the connection is closed: https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-error-severities
    private const int Fatal = 20;

    private readonly SqlConnectionStringBuilder _given;

    /// <exception cref="CrushException">The connection string does not name a database of a server.</exception>
    internal SqlServerCrush(CrushPlace place)
        : base(place)
    {
        if (string.IsNullOrWhiteSpace(place.Connection))
            throw new CrushException($"--connection is missing; --database sqlserver needs it. Give {Form}.");
        _given = Read(place.Connection);
        if (string.IsNullOrWhiteSpace(_given.DataSource))
            throw new CrushException($"--connection has no Server; it must name one. Write it as {Form}.");
        // Without a name the login's default database would be used; for administrators that is master.
        if (string.IsNullOrWhiteSpace(_given.InitialCatalog))
            throw new CrushException($"--connection has no Database; it must name the one that the crush test may write to. Write it as {Form}.");
    }

    internal override string Name => "SQL Server";

    internal override string Place => $"{_given.DataSource}/{_given.InitialCatalog}";

    internal override string ReadersConnection =>
        new SqlConnectionStringBuilder(_given.ConnectionString) { ApplicationName = ReadersName }.ConnectionString;

    protected override string TableExists => $"SELECT COUNT(OBJECT_ID(N'{Tables.JournalTable}', N'U'))";

    protected override IEnumerable<string> Upkeep => [$"UPDATE STATISTICS {Tables.JournalTable}", "CHECKPOINT"];

    protected override string CountRows => "COUNT_BIG(*)";

    internal override JournalReader OpenReader(JournalOptions options) =>
        SqlServerJournal.OpenReader(ReadersConnection, options with { Tables = Tables });

    internal override JournalAppender OpenAppender() => SqlServerJournal.OpenAppender(_given.ConnectionString, Tables);

    internal override IFloor OpenFloor(FloorPlan plan) =>
        new SqlServerFloor(_given.ConnectionString, Tables, plan.On(2 * Environment.ProcessorCount));

    internal override Task<IStatementCount?> CountStatementsAsync(CancellationToken cancellation) =>
        RequestView.CountAsync(async () => (SqlConnection)await OpenAsync(cancellation), ReadersName, cancellation);

    internal override CommandException Explain(DbException error)
    {
        var (remedy, says) = error switch
        {
            SqlException { InnerException: AuthenticationException } =>
                ("its certificate is not trusted. Install a trusted one, or, if you trust the network to the server, add TrustServerCertificate=True.", "The driver"),
            SqlException told when IsAnswer(told) => (Remedy(told.Number), "SQL Server"),
            _ => ("the server cannot be reached. Start it, or correct Server.", "The driver"),
        };
        return new CrushException($"--connection names {Place}; {remedy} {says} says: {Sentence.Of(error.Message)}", error);
    }

    /// <summary>Whether the server refused the statement, and the connection still works.</summary>
    internal static bool IsAnswer(SqlException error) => error.Class is > 10 and < Fatal && error.Number > 0;

    protected override DbConnection NewConnection() => new SqlConnection(_given.ConnectionString);

    protected override bool IsRefusal(DbException error) => error is SqlException told && IsAnswer(told);

    private static SqlConnectionStringBuilder Read(string connection)
    {
        try
        {
            return new(connection);
        }
        catch (Exception error) when (error is ArgumentException or FormatException or KeyNotFoundException)
        {
            throw new CrushException($"--connection cannot be read: {Sentence.Of(error.Message)} Write it as {Form}.", error);
        }
    }

    // https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
    private string Remedy(int number) => number switch
    {
        18452 or 18456 => $"it refuses the login '{_given.UserID}'. Correct User ID and Password.",
        911 or 4060 => $"it has no database '{_given.InitialCatalog}' for '{_given.UserID}'. Create it, or correct Database.",
        229 or 230 or 262 or 2760 or 3701 => $"'{_given.UserID}' lacks a right. Grant CREATE TABLE and ALTER on the schema, or give another User ID.",
        208 or 2601 or 2627 or 2714 => Replaced,
        1101 or 1105 or 9002 => "it has no space left. Make room in the database's files, or for its log.",
        10928 or 10929 or 17809 or 17810 => "it has no connection left. Close some.",
        _ => "it refused a statement. See the server's log.",
    };
}
