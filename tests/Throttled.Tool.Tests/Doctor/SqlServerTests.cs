using Microsoft.SqlServer.TransactSql.ScriptDom;
using Throttled.Journal.SqlServer;
using Throttled.Tool.CommandLine;
using Throttled.Tool.Doctor;
using Throttled.Tool.Tail;

namespace Throttled.Tool.Tests.Doctor;

/// <summary>SQL Server without a server: Microsoft's parser reads the statements, and the checks get facts.</summary>
public sealed class SqlServerTests
{
    private static readonly SqlServerState Good = new()
    {
        Version = "SQL Server 16.0.4000.1, Developer Edition",
        Database = "shop",
        Login = "journal_reader",
        IsAdministrator = false,
        Usable = 32_767,
        HasRowVersions = true,
        SeesState = true,
        ClockSkew = TimeSpan.Zero,
        Refused = [],
        Size = new(1_500_000, 7, 86_400),
    };

    private static IEnumerable<string> AllStatements =>
    [
        SqlServerReading.Server, SqlServerReading.Clock, SqlServerReading.IsRefused, SqlServerReading.Oldest, SqlServerReading.Columns, SqlServerReading.Indexes, SqlServerReading.Bytes, KnownTables.OfSqlServer,
        .. new[] { JournalTables.Default, JournalTables.SqlServer }.Select(tables => new SizeSql(new SqlServerDialect(), tables)).SelectMany(sql => new[] { sql.Ends, sql.AnyTag, sql.AnyTagInColumn }),
        new SqlServerFindings(Good with { HasRowVersions = false }, null).All(hasJournal: true).Single(each => each.Subject == "row versions").Remedy!,
        new SqlServerFindings(Good with { Refused = ["[dbo].[journal]"] }, null).All(hasJournal: true).Single(each => each.Subject == "rights").Remedy!,
    ];

    public static TheoryData<string> Statements()
    {
        var data = new TheoryData<string>();
        foreach (var statement in AllStatements)
            data.Add(statement);
        return data;
    }

    [Theory]
    [MemberData(nameof(Statements))]
    public void The_parser_of_SQL_Server_2016_reads_each_statement(string sql)
    {
        TSqlParser.CreateParser(SqlVersion.Sql130, initialQuotedIdentifiers: true).Parse(new StringReader(sql), out var errors);
        Assert.Empty(errors.Select(error => $"{error.Line}:{error.Column}: {error.Message}"));
    }

    [Fact]
    public void A_good_server_has_only_good_lines()
    {
        var findings = new SqlServerFindings(Good, new(3, 100)).All(hasJournal: true).ToList();
        Assert.All(findings, each => Assert.Equal(Health.Good, each.Health));
        Assert.Equal(["server", "rights", "row versions", "connections", "clock", "transactions", "size"], findings.Select(each => each.Subject));
        Assert.Equal("the server allows 32,767; 3 processes with 100 permits open up to 303", findings[3].Text);
    }

    [Fact]
    public void What_is_wrong_is_said_with_its_remedy()
    {
        Says(Health.Bad, Good with { HasRowVersions = false }, "ALTER DATABASE [shop] SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK IMMEDIATE;");
        Says(Health.Bad, Good with { Refused = ["[journal]", "[tags]"] }, "GRANT SELECT ON [journal] TO [journal_reader]; GRANT SELECT ON [tags] TO [journal_reader];");
        Says(Health.Warning, Good with { SeesState = false }, "GRANT VIEW SERVER STATE TO [journal_reader]; or the right of your version: docs/sql/reader-sqlserver.sql");
        Says(Health.Warning, Good with { IsAdministrator = true }, "Run docs/sql/reader-sqlserver.sql, and use that login");
        Says(Health.Warning, Good with { ClockSkew = TimeSpan.FromSeconds(-3) }, "Synchronize both clocks (NTP)");
        Says(Health.Warning, Good with { Oldest = new(TimeSpan.FromMinutes(9), "ann", "night batch", "sleeping", "INSERT") }, "End it (KILL), or let its application commit: docs/operating/runbook.md");
        Says(Health.Bad, Good with { Usable = 300 }, "Set MaxConcurrentQueries (max-concurrent-queries) lower, or run fewer processes: docs/operating/sizing.md");
    }

    [Fact]
    public void An_index_ends_with_the_clustered_key_unless_it_is_unique()
    {
        IndexColumn[] columns = [new(1, true, true, "ordering_id"), new(2, false, false, "tag"), new(3, false, true, "persistence_id"), new(3, false, true, "sequence_nr")];
        var table = new KnownTable(new HashSet<string>(), SqlServerIndexes.Of(columns));
        Assert.True(table.HasIndex("tag", "ordering_id"));
        Assert.True(table.HasIndex("persistence_id", "sequence_nr"));
        Assert.False(table.HasIndex("persistence_id", "sequence_nr", "ordering_id"));
    }

    [Theory]
    [InlineData("doctor --database sqlserver --connection Database=a", "--connection has no Server; it must name the server.")]
    [InlineData("doctor --database sqlserver --connection Sevrer=a", "--connection cannot be read: ")]
    [InlineData("doctor --database sqlserver --connection Server=127.0.0.1,1;User_ID=a", "--connection cannot be read: ")]
    [InlineData("journal --database sqlserver --connection Sevrer=a", "--connection cannot be read: ")]
    [InlineData("projections list --database sqlserver --connection Sevrer=a", "--connection cannot be read: ")]
    public async Task What_cannot_be_used_is_refused_with_a_reason(string line, string reason)
    {
        var (code, _, errors) = await ToolOutput.OfAsync(line.Split(' '));
        Assert.Equal(2, code);
        Assert.Contains(reason, errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_server_that_is_down_is_named_without_the_password()
    {
        var (code, _, errors) = await ToolOutput.OfAsync("doctor", "--database", "sqlserver", "--connection", "Server=127.0.0.1,1;User ID=a;Password=secret;Connect Timeout=5");
        Assert.Equal(2, code);
        Assert.Contains("--connection names 127.0.0.1,1; the server cannot be reached. Start it, or correct Server.", errors, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", errors, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Server=DB-a,1433;Database=shop;User ID=me;Password=secret", "sqlserver db-a,1433/shop events.journal")]
    [InlineData("Server=DB-a;User ID=me", "sqlserver db-a/ events.journal")]
    public void A_position_names_its_server_without_the_password(string connection, string place) => Assert.Equal(place, JournalPlace.Of(new()
    {
        Database = OptionText.SqlServer,
        Connection = connection,
        Source = "--connection",
        Options = new() { Tables = JournalTables.Default with { Schema = "events" } },
        Selection = new Selection.All(),
    }));

    private static void Says(Health health, SqlServerState facts, string remedy) =>
        Assert.Contains(new SqlServerFindings(facts, new(3, 100)).All(hasJournal: true), each => each.Health == health && each.Remedy == remedy);
}
