using System.Data.Common;
using Npgsql;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>The statements of a connection, in its transaction if it has begun one.</summary>
internal sealed class PostgreSqlTransaction(NpgsqlConnection connection) : AdoTransaction
{
    protected override DbCommand Command(string sql, DbParameter[] parameters)
    {
        var command = new NpgsqlCommand(sql, connection);
        command.Parameters.AddRange(parameters);
        return command;
    }
}
