using Microsoft.Data.SqlClient;

namespace CrushTest.Databases;

/// <summary>
/// The server's view of running statements. Without the right to see others, it shows a session only itself.
/// https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-exec-requests-transact-sql
/// </summary>
internal static class RequestView
{
    // The second name of the right is for 2022 and later, the third for a database in Azure.
    private const string MayLook = """
        SELECT CASE WHEN HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE') = 1
            OR HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE') = 1
            OR SERVERPROPERTY('EngineEdition') = 5 AND HAS_PERMS_BY_NAME(NULL, 'DATABASE', 'VIEW DATABASE STATE') = 1
            THEN 1 ELSE 0 END
        """;

    private const string Running = """
        SELECT COUNT(*) FROM sys.dm_exec_requests r JOIN sys.dm_exec_sessions s ON s.session_id = r.session_id
        WHERE s.program_name = @application
        """;

    /// <returns>Null if the server does not show other sessions.</returns>
    internal static async Task<IStatementCount?> CountAsync(
        Func<Task<SqlConnection>> open, string application, CancellationToken cancellation)
    {
        var connection = await open();
        var question = new SqlCommand(Running, connection);
        question.Parameters.Add("@application", System.Data.SqlDbType.NVarChar, 128).Value = application;
        if (await IsShownAsync(question, cancellation))
            return new ActivityCount(question, "sys.dm_exec_requests");
        await connection.DisposeAsync();
        return null;
    }

    private static async Task<bool> IsShownAsync(SqlCommand question, CancellationToken cancellation)
    {
        try
        {
            await using var may = new SqlCommand(MayLook, question.Connection);
            if (await may.ExecuteScalarAsync(cancellation) is not 1)
                return false;
            await question.ExecuteScalarAsync(cancellation);
            return true;
        }
        catch (SqlException error) when (SqlServerCrush.IsAnswer(error) && !cancellation.IsCancellationRequested)
        {
            // A server of another product with the same protocol, but without this view.
            return false;
        }
    }
}
