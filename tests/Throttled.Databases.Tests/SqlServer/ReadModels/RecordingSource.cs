using System.Data;
using System.Data.Common;
using System.Diagnostics.CodeAnalysis;

namespace Throttled.Journal.SqlServer.Tests.ReadModels;

/// <summary>A database that records the statements it gets. It returns a row for OUTPUT, and no row for a SELECT.</summary>
/// <param name="touched">The number of rows that a statement seems to touch.</param>
internal sealed class RecordingSource(int touched) : DbDataSource
{
    public override string ConnectionString => "";

    internal List<RecordedCommand> Commands { get; } = [];

    internal List<IsolationLevel> Levels { get; } = [];

    /// <summary>Whether transactions are as after an error that the server answers with a rollback.</summary>
    internal bool IsRolledBack { get; set; }

    protected override DbConnection CreateDbConnection() => new RecordingConnection(this);

    private int Run(RecordingCommand command)
    {
        Commands.Add(new(
            command.CommandText,
            [.. command.Parameters.Cast<DbParameter>().Select(parameter => (parameter.ParameterName, parameter.Value, parameter.Size, parameter.DbType))],
            command.IsPrepared));
        return touched;
    }

    private sealed class RecordingConnection(RecordingSource source) : DbConnection
    {
        private ConnectionState _state;

        [AllowNull]
        public override string ConnectionString { get; set; } = "";

        public override string Database => "";

        public override string DataSource => "";

        public override string ServerVersion => "";

        public override ConnectionState State => _state;

        internal RecordingSource Source => source;

        public override void Open() => _state = ConnectionState.Open;

        public override void Close() => _state = ConnectionState.Closed;

        public override void ChangeDatabase(string databaseName) => throw new NotSupportedException();

        protected override DbTransaction BeginDbTransaction(IsolationLevel isolationLevel)
        {
            source.Levels.Add(isolationLevel);
            return new RecordingTransaction(this, isolationLevel);
        }

        protected override DbCommand CreateDbCommand() => new RecordingCommand { Connection = this };
    }

    private sealed class RecordingTransaction(RecordingConnection connection, IsolationLevel level) : DbTransaction
    {
        public override IsolationLevel IsolationLevel => level;

        protected override DbConnection? DbConnection => connection.Source.IsRolledBack ? null : connection;

        public override void Commit()
        {
        }

        public override void Rollback()
        {
        }
    }

    private sealed class RecordingCommand : DbCommand
    {
        // The driver's own parameters, so a value that it cannot send is refused.
        private readonly DbCommand _parameters = Microsoft.Data.SqlClient.SqlClientFactory.Instance.CreateCommand();

        [AllowNull]
        public override string CommandText { get; set; } = "";

        public override int CommandTimeout { get; set; }

        public override CommandType CommandType { get; set; }

        public override bool DesignTimeVisible { get; set; }

        public override UpdateRowSource UpdatedRowSource { get; set; }

        internal bool IsPrepared { get; private set; }

        protected override DbConnection? DbConnection { get; set; }

        protected override DbParameterCollection DbParameterCollection => _parameters.Parameters;

        protected override DbTransaction? DbTransaction { get; set; }

        public override void Cancel()
        {
        }

        public override int ExecuteNonQuery() => ((RecordingConnection)DbConnection!).Source.Run(this);

        public override object? ExecuteScalar() => throw new NotSupportedException();

        public override void Prepare() => IsPrepared = true;

        protected override DbParameter CreateDbParameter() => _parameters.CreateParameter();

        protected override DbDataReader ExecuteDbDataReader(CommandBehavior behavior)
        {
            ExecuteNonQuery();
            using var rows = new DataTable();
            foreach (var column in Output())
                rows.Columns.Add(column, column == "lane" ? typeof(int) : typeof(long));
            if (rows.Columns.Count > 0)
                rows.Rows.Add([.. rows.Columns.Cast<DataColumn>().Select(_ => (object)1)]);
            return rows.CreateDataReader();
        }

        private IEnumerable<string> Output() => CommandText.Split([' ', ',', '\n'], StringSplitOptions.RemoveEmptyEntries)
            .Where(word => word.StartsWith("inserted.", StringComparison.Ordinal) || word.StartsWith("deleted.", StringComparison.Ordinal))
            .Select(word => word.Split('.')[1]);
    }
}

internal sealed record RecordedCommand(string Text, IReadOnlyList<(string Name, object? Value, int Size, DbType Type)> Parameters, bool IsPrepared);
