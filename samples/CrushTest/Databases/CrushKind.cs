namespace CrushTest.Databases;

/// <summary>A kind of database that the crush test can run on.</summary>
/// <param name="Option">As <c>--database</c> names it.</param>
/// <param name="Provider">As Akka's configuration names it.</param>
/// <param name="Open">Opens one of them.</param>
internal sealed record CrushKind(string Option, string Provider, Func<Settings.CrushPlace, ICrushDatabase> Open)
{
    internal static CrushKind Sqlite { get; } = new("sqlite", "SQLite", static place => new SqliteCrush(place)) { MakesPlaces = true };

    internal static CrushKind PostgreSql { get; } =
        new("postgres", "PostgreSQL", static place => new PostgreSqlCrush(place)) { Variable = PostgreSqlCrush.Variable };

    /// <summary>Whether there is any where no connection string is given.</summary>
    internal bool MakesPlaces { get; init; }

    /// <summary>The environment variable that holds the connection string where none is given; null where there is none.</summary>
    internal string? Variable { get; init; }
}
