namespace Throttled.Journal.SqlServer.Tests;

/// <summary>What Babelfish lacks of what the driver asks a server for.</summary>
internal static class Babelfish
{
    /// <summary>
    /// To be run in tempdb. A bulk copy into a temporary table asks there for the collations of its columns, which may all be NULL; other tables'
    /// are told by a procedure of the server's own. It has a row for each column that a table of the appender may have.
    /// </summary>
    internal const string Complete =
        """
        IF OBJECT_ID(N'tempdb..sp_tablecollations_100') IS NULL EXEC(N'
            CREATE PROCEDURE sp_tablecollations_100 @table NVARCHAR(4000) AS
            SELECT v.n AS colid, CAST(NULL AS NVARCHAR(128)) AS name, CAST(NULL AS VARBINARY(5)) AS tds_collation_100, CAST(NULL AS NVARCHAR(128)) AS collation_100
            FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8)) AS v (n)');
        GRANT EXECUTE ON sp_tablecollations_100 TO public
        """;
}
