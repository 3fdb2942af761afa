namespace Throttled.Journal.SqlServer.Tests;

/// <summary>What the driver needs and Babelfish lacks.</summary>
internal static class Babelfish
{
    /// <summary>
    /// Run in tempdb. A bulk copy into a temporary table reads the collations of its columns there, which may all be NULL. For other tables
    /// a procedure of the server returns them. The table has a row for each column that a table of the appender may have.
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
