using System.Data.Common;
using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using Npgsql;

namespace Throttled.Projections.Tests.Databases;

/// <summary>A connection string that can never work is refused at once; an outage is not.</summary>
public sealed class ReadModelSourceTests
{
    private const string Remedy = "Correct the connection string with which the data source of the read model was created.";

    [Theory]
    [InlineData("Sqlite", "Datasorce=model.db", "SQLite: Connection string keyword 'datasorce' is not supported.")]
    [InlineData("Sqlite", "Data Source=model.db;Mode=Sometimes", "SQLite: Requested value 'Sometimes' was not found.")]
    [InlineData("SqlServer", "Sever=db;Database=app", "SQL Server: Keyword not supported: 'sever'.")]
    [InlineData("SqlServer", "Server=db;Encrypt=perhaps;Password=a", "SQL Server: Invalid value for key 'Encrypt'.")]
    [InlineData("SqlServer", "Server=db;Password=a;Encrypt=perhaps", "SQL Server: the text after the password is not a valid setting. If the password contains ';', put it in quotes.")]
    [InlineData("SqlServer", "Server=db;Encrypt", "SQL Server: Format of the initialization string does not conform to specification starting at index 10.")]
    public void A_misspelled_connection_string_is_refused_with_the_remedy(string database, string connectionString, string reason)
    {
        var refusal = Assert.Throws<ArgumentException>(() => Open(database, connectionString));
        Assert.Equal($"The connection string is not valid for {reason} {Remedy}", refusal.Message);
    }

    [Theory]
    [InlineData("Sqlite", "Data Source=model.db;Password=a;secret=b")]
    [InlineData("SqlServer", "Server=db;Pwd=a;secret=b")]
    [InlineData("SqlServer", "Server=db;Encrypt='no;Pwd=secret'")]
    public void A_refusal_contains_no_part_of_a_password(string database, string connectionString)
    {
        var refusal = Assert.Throws<ArgumentException>(() => Open(database, connectionString));
        Assert.DoesNotContain("secret", refusal.ToString(), StringComparison.Ordinal);
        Assert.EndsWith(Remedy, refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "is empty")]
    [InlineData("Mode=Memory;Cache=Shared", "is empty")]
    [InlineData("Data Source=:memory:", "is ':memory:' in memory")]
    [InlineData("Data Source=:memory:;Cache=Shared", "is ':memory:' in memory")]
    [InlineData("Data Source=model;Mode=Memory", "is 'model' in memory")]
    [InlineData("Data Source=file::memory:", "is 'file::memory:' in memory")]
    [InlineData("Data Source=file:model?mode=memory", "is 'file:model?mode=memory' in memory")]
    public void A_sqlite_database_of_one_connection_is_refused(string connectionString, string found) => Assert.StartsWith(
        $"The 'Data Source' of the read model's connection string {found}, so each connection would have an empty database of its own. Set 'Data Source' to the path of a file.",
        Assert.Throws<ArgumentException>(() => Open("Sqlite", connectionString)).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("Sqlite", "Data Source=model.db;Password=secret", "'model.db'")]
    [InlineData("Sqlite", "Data Source=model;Mode=Memory;Cache=Shared", "'model'")]
    [InlineData("Sqlite", "Data Source=file::memory:?cache=shared", "'file::memory:?cache=shared'")]
    [InlineData("SqlServer", "Server=db;Database=app;User ID=reader;Password=secret", "'app' on db")]
    [InlineData("PostgreSql", "Host=db;Database=app;Username=reader;Password=secret", "'app' on tcp://db:5432")]
    public void The_name_has_the_address_and_no_password(string database, string connectionString, string name) =>
        Assert.Equal(name, Open(database, connectionString).Name);

    private static ReadModelDatabase Open(string database, string connectionString) => database switch
    {
        "Sqlite" => ReadModelDatabase.Sqlite(Source(SqliteFactory.Instance, connectionString)),
        "SqlServer" => ReadModelDatabase.SqlServer(Source(SqlClientFactory.Instance, connectionString)),
        _ => ReadModelDatabase.PostgreSql(NpgsqlDataSource.Create(connectionString)),
    };

    private static DbDataSource Source(DbProviderFactory factory, string connectionString) => factory.CreateDataSource(connectionString);
}
