using Microsoft.Data.SqlClient;
using Throttled.Journal.Database;
using Throttled.Journal.Ordering;

namespace Throttled.Journal.SqlServer.Tests;

/// <summary>The errors for connection strings and data sources that cannot be used.</summary>
public class SourceTests
{
    [Theory]
    [InlineData("Database=app", "'Server'")]
    [InlineData("Server=db;Database=app;Application Intent=ReadOnly", "'Application Intent' is ReadOnly")]
    [InlineData("Server=db;Database=app;Databse=app", "databse")]
    [InlineData("Server=db;Authentication=Active Directory Default;User ID=a;Password=b", "'Password'")]
    [InlineData("Server=db;Pooling=", "a setting that must be True or False has no value")]
    [InlineData("Server=db;Type System Version=SQL Server 2000", "'Type System Version'")]
    public void A_connection_string_without_a_journal_is_refused_with_its_keyword(string text, string named)
    {
        var refused = Assert.Throws<ArgumentException>(() => SqlServerJournal.OpenReader(text));
        Assert.Contains(named, refused.Message, StringComparison.OrdinalIgnoreCase);
        Assert.Equal(refused.Message, Assert.Throws<ArgumentException>(() => SqlServerJournal.OpenAppender(text)).Message);
    }

    [Fact]
    public void Text_after_a_password_is_not_shown()
    {
        var refused = Assert.Throws<ArgumentException>(() => SqlServerJournal.OpenReader("Server=db;Database=app;Password=se;cret=1"));
        Assert.DoesNotContain("cret", refused.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void The_pool_size_of_a_data_source_is_the_limit()
    {
        using var own = SqlClientFactory.Instance.CreateDataSource("Server=db;Max Pool Size=7");
        Assert.Equal(7, SqlServerSource.Of(own).PoolSize);
    }

    [Fact]
    public void A_process_without_cultures_fails_with_the_setting_to_change() => Assert.Contains(
        "InvariantGlobalization to false",
        SqlServerFaults.ReasonOf(new NotSupportedException("Globalization Invariant Mode is not supported.")),
        StringComparison.Ordinal);

    [Theory]
    [InlineData("Server=db,1433;Database=app;User ID=reader;Password=hunter2", "database 'app' on db,1433 as user 'reader'")]
    [InlineData("Server=db;Integrated Security=true", "db")]
    public async Task Its_address_is_server_database_and_user(string connectionString, string address)
    {
        await using var database = SqlServerJournal.OpenDatabase(connectionString, new());
        Assert.Equal(address, database.Address);
    }

    // Decision 23: its locks may not show every transaction.
    [Fact]
    public async Task Order_evidence_of_SQL_Server_also_has_to_age()
    {
        await using var database = SqlServerJournal.OpenDatabase("Server=db;Database=app;User ID=reader;Password=hunter2", new());
        Assert.Equal(TimeSpan.FromSeconds(10), GapPolicy.Of(new(), database.HasTriedEvidence).LeastAge);
    }
}
