using CrushTest.Settings;

namespace CrushTest.Databases;

/// <summary>A kind of database that the crush test can run on.</summary>
/// <param name="Option">The name for <c>--database</c>.</param>
/// <param name="Provider">The name in the read journals' configuration.</param>
internal sealed record CrushKind(string Option, string Provider, Func<CrushPlace, CrushDatabase> Open)
{
    internal static CrushKind Sqlite { get; } = new("sqlite", "SQLite.MS", static place => new SqliteCrush(place)) { MakesPlaces = true };

    internal static CrushKind PostgreSql { get; } = new("postgres", "PostgreSQL.15", static place => new PostgreSqlCrush(place));

    internal static CrushKind SqlServer { get; } = new("sqlserver", "SqlServer.2022", static place => new SqlServerCrush(place));

    /// <summary>Whether the crush test creates the databases if there is no connection string.</summary>
    internal bool MakesPlaces { get; private init; }

    /// <exception cref="CrushException">There is no database product of this name.</exception>
    internal static CrushKind Named(string option) =>
        Array.Find([Sqlite, PostgreSql, SqlServer], kind => kind.Option == option) ?? throw new CrushException(
            $"--database is '{option}'; it must be sqlite, postgres or sqlserver. Leave it out for sqlite.");
}
