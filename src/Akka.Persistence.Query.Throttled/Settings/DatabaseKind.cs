namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>What a journal is kept in.</summary>
internal enum DatabaseKind
{
    Sqlite,
    PostgreSql,
    SqlServer,
}
