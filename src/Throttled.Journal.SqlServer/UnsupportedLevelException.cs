namespace Throttled.Journal.SqlServer;

/// <summary>
/// The database's compatibility level does not support JSON:
/// https://learn.microsoft.com/sql/t-sql/functions/openjson-transact-sql
/// </summary>
internal sealed class UnsupportedLevelException(int? level, Exception inner) : Exception(
    FormattableString.Invariant(
        $"The database's compatibility level is {level?.ToString() ?? "unknown"}; it must be at least {Least}, which SQL Server 2016 and later have. Run ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = {Least}."),
    inner)
{
    private const int Least = 130;
}
