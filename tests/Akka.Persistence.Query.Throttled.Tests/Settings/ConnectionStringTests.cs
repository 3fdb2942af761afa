namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>A connection string that cannot work is refused at start and not shown.</summary>
public sealed class ConnectionStringTests
{
    private const string Section = ThrottledReadJournal.Identifier;
    private const string Secret = "hunter2";
    private const string File = "Name a file, as in \"Data Source=journal.db\".";
    private const string Server = "Write it as in \"Host=server;Database=app;Username=reader\".";

    public static TheoryData<string, string, string> Bad => new()
    {
        {
            "SQLite", $"Data Source=:memory:;Password={Secret}",
            "'Data Source' in the connection string is \":memory:\": each connection would have an empty database of its own in memory. "
            + "Name a file, or share one with \"Data Source=journal;Mode=Memory;Cache=Shared\"."
        },
        { "SQLite.MS", $"Password={Secret}", $"'Data Source' in the connection string is \"\": SQLite would make a database of its own for each connection. {File}" },
        { "PostgreSQL", $"Database=x;Password={Secret}", $"The connection string has no 'Host'; it must name the server. {Server}" },
        {
            "PostgreSQL", $"Host=a,b;Password={Secret}",
            "'Target Session Attributes' is any with 2 hosts; it must be primary or read-write, because positions of one server are not valid on another. "
            + "Set it to primary in the connection string, not by WithTargetSession, which the reader cannot see; or name one host."
        },
        {
            "SqlServer", $"Database=x;Password={Secret}",
            "The connection string has no 'Server'; it must name the server. Write it as in \"Server=server;Database=app;User ID=reader;Password=…\"."
        },
        {
            "SqlServer.2022", $"Server=a;ApplicationIntent=ReadOnly;Password={Secret}",
            "'Application Intent' is ReadOnly; it must be ReadWrite, because a listener may lead to another replica each time, and positions of one are not "
            + "valid on another. Leave it out; to read from a secondary, name its server."
        },
    };

    [Theory]
    [MemberData(nameof(Bad))]
    public void A_bad_connection_string_is_refused_and_not_shown(string provider, string connectionString, string message)
    {
        using var system = new ConfiguredSystem(Hocon.Journal($"provider-name = {provider}\nconnection-string = \"{connectionString}\""));
        var refusal = system.Refusal();
        Assert.Equal($"'{Section}.connection-string': {message}", refusal.Message);
        Assert.DoesNotContain(Secret, refusal.ToString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("PostgreSQL.15", $"Host=a;Password={Secret};Nonsense=1")]
    [InlineData("PostgreSQL", $"Host=a;Password={Secret};garbage")]
    [InlineData("PostgreSQL", $"Host=a;Port=x;Password={Secret}")]
    [InlineData("PostgreSQL", $"Host=a;Password={Secret};Ssl Mode=sometimes")]
    [InlineData("PostgreSQL", $"Host=a;Password='{Secret}")]
    [InlineData("PostgreSQL", $"Host=a;Password=abc;{Secret}=x")]
    [InlineData("SQLite", $"Data Source=a;Password=abc;{Secret}=x")]
    [InlineData("SQLite", $"Data Source=a;Password={Secret};Nonsense=1")]
    [InlineData("SQLite", $"Data Source=a;Password={Secret};garbage")]
    [InlineData("SQLite", $"Data Source=a;Password={Secret};Mode=sometimes")]
    [InlineData("SQLite.Classic", $"Data Source=a;Version=3;Password={Secret}")]
    [InlineData("SQLite", $"Host=a;Password={Secret}")]
    [InlineData("SqlServer.2019", $"Server=a;Password={Secret};Nonsense=1")]
    [InlineData("SqlServer", $"Server=a;Password={Secret};garbage")]
    [InlineData("SqlServer", $"Server=a;Connect Timeout=x;Password={Secret}")]
    [InlineData("SqlServer", $"Server=a;Encrypt=sometimes;Password={Secret}")]
    [InlineData("SqlServer", $"Host=a;Password={Secret}")]
    [InlineData("SqlServer", $"Server=a;Pooling='x;Password={Secret};y'")]
    [InlineData("PostgreSQL", $"Host=a;Pooling='x;Password={Secret};y'")]
    [InlineData("SQLite", $"Data Source=a;Foreign Keys='x;Password={Secret};y'")]
    public void An_unreadable_connection_string_is_not_shown(string provider, string connectionString)
    {
        using var system = new ConfiguredSystem(Hocon.Journal($"provider-name = {provider}\nconnection-string = \"{connectionString}\""));
        var refusal = system.Refusal();
        Assert.StartsWith($"'{Section}.connection-string': The connection string is not valid for ", refusal.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, refusal.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_name_that_PostgreSQL_would_cut_is_refused_with_its_key()
    {
        var name = new string('x', 64);
        using var system = new ConfiguredSystem(Hocon.Journal(
            $"provider-name = PostgreSQL\nconnection-string = \"Host=a;Password={Secret}\"\ndefault.journal.columns.ordering = {name}"));
        var refusal = system.Refusal();
        Assert.StartsWith($"'{Section}.default.journal.columns.ordering' is \"{name}\", which has 64 bytes", refusal.Message, StringComparison.Ordinal);
        Assert.DoesNotContain(Secret, refusal.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void A_bad_connection_string_of_the_write_plugin_is_named_by_its_own_key()
    {
        using var system = new ConfiguredSystem("""
            akka.persistence.journal { plugin = "akka.persistence.journal.postgresql", postgresql.connection-string = "Database=x" }
            """);
        Assert.Equal(
            $"'akka.persistence.journal.postgresql.connection-string': The connection string has no 'Host'; it must name the server. {Server}",
            system.Refusal().Message);
    }

    [Theory]
    [InlineData("Data Source=journal;Mode=Memory;Cache=Shared")]
    [InlineData("Filename=file:journal.db;Mode=Memory;Cache=Shared")]
    [InlineData("DataSource=journal.db;Cache=Shared;Foreign Keys=True")]
    public void Connection_strings_of_existing_journals_are_accepted(string connectionString)
    {
        using var system = new ConfiguredSystem(Hocon.Journal($"connection-string = \"{connectionString}\""));
        system.Open();
    }
}
