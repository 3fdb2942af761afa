using Throttled.Tool.CommandLine;
using Throttled.Tool.Doctor;

namespace Throttled.Tool.Tests.Doctor;

public sealed class PostgreSqlFindingsTests
{
    private static readonly PostgreSqlFacts Good = new()
    {
        Version = "PostgreSQL 17.2",
        Database = "app",
        User = "reader",
        IsSuperuser = false,
        Usable = 97,
        Used = 12,
        RoleLimit = -1,
        DatabaseLimit = -1,
        Port = 5432,
        ClockSkew = TimeSpan.FromMilliseconds(3),
        ChangesBackend = false,
        SeesStatements = true,
        Refused = [],
        Size = new(12_300_000, 45_678, 86_400),
    };

    [Fact]
    public void A_good_server_has_no_remedy()
    {
        var findings = Of(Good, new(2, 40));
        Assert.All(findings, finding => Assert.Equal((Health.Good, null), (finding.Health, finding.Remedy)));
        Assert.Contains(findings, finding => finding.Text == "PostgreSQL 17.2, database 'app', login 'reader'");
        Assert.Contains(findings, finding => finding.Text == "97 connections for this login (max_connections); open on the server now: 12; 2 processes with 40 permits open up to 84");
        Assert.Contains(findings, finding => finding.Text == "12.3 MB, the last ordering is 45,678, and it grows by 86,400 events a day");
    }

    [Theory]
    [InlineData(3, 40, 97, -1, -1, "97 connections for this login (max_connections)", "Set MaxConcurrentQueries (max-concurrent-queries) to at most 28, and less if writers use this login; or raise max_connections: docs/")]
    [InlineData(2, 40, 97, 60, -1, "60 connections for this login (CONNECTION LIMIT of the role 'reader')", "Set MaxConcurrentQueries (max-concurrent-queries) to at most 28, and less if writers use this login; or run ALTER ROLE \"reader\" CONNECTION LIMIT 84: docs/")]
    [InlineData(2, 40, 97, 80, 60, "60 connections for this login (CONNECTION LIMIT of the database 'app')", "Set MaxConcurrentQueries (max-concurrent-queries) to at most 25, and less if writers use this login; or run ALTER ROLE \"reader\" CONNECTION LIMIT 84 and run ALTER DATABASE \"app\" CONNECTION LIMIT 89: docs/")]
    [InlineData(40, 1, 97, -1, -1, "97 connections for this login (max_connections)", "Start fewer processes; or raise max_connections: docs/")]
    [InlineData(40, 1, 197, 0, -1, "0 connections for this login (CONNECTION LIMIT of the role 'reader')", "Start fewer processes; or run ALTER ROLE \"reader\" CONNECTION LIMIT 120: docs/")]
    public void Too_many_permits_are_told_with_the_smallest_limit_and_the_number_that_fits(int processes, int permits, int usable, int role, int database, string text, string remedy)
    {
        var finding = Assert.Single(Of(Good with { Usable = usable, RoleLimit = role, DatabaseLimit = database }, new(processes, permits)), finding => finding.Health != Health.Good);
        Assert.Equal((Health.Bad, "connections"), (finding.Health, finding.Subject));
        Assert.StartsWith(text, finding.Text, StringComparison.Ordinal);
        Assert.StartsWith(remedy, finding.Remedy, StringComparison.Ordinal);
    }

    [Fact]
    public void Operators_need_connections_of_the_server_and_of_the_database_but_none_of_the_login()
    {
        Assert.Contains("but 5 must stay free for operators", Connections(Good with { DatabaseLimit = 80 }, new(2, 38)).Text, StringComparison.Ordinal);
        Assert.Equal(Health.Good, Connections(Good with { RoleLimit = 80 }, new(2, 38)).Health);

        static Finding Connections(PostgreSqlFacts facts, PlannedReaders planned) => Assert.Single(Of(facts, planned), finding => finding.Subject == "connections");
    }

    [Fact]
    public void Each_risk_has_a_line_of_its_own()
    {
        Is(Good with { ChangesBackend = true }, Health.Warning, "pooler", "Two statements ran on two connections of the server");
        Is(Good with { Port = 6432 }, Health.Warning, "pooler", "The server listens on port 6432, and the connection goes to port 5432");
        Is(Good with { Refused = ["\"journal\""] }, Health.Bad, "rights", "The login 'reader' may not read \"journal\"", "GRANT SELECT ON \"journal\" TO \"reader\";");
        Is(Good with { HiddenSchema = "\"app\"" }, Health.Bad, "rights", "The login 'reader' may not use the schema \"app\"", "GRANT USAGE ON SCHEMA \"app\" TO \"reader\";");
        Is(Good with { IsSuperuser = true }, Health.Warning, "rights", "The login 'reader' is a superuser");
        Is(Good with { SeesStatements = false }, Health.Warning, "rights", "The login does not see the statements of others", "GRANT pg_read_all_stats TO \"reader\";");
        Is(Good with { ClockSkew = TimeSpan.FromSeconds(-90) }, Health.Warning, "clock", "The server's clock is 90 s behind this machine's");
        Is(
            Good with { Oldest = new(TimeSpan.FromMinutes(7), "writer", "orders", "idle in transaction", "INSERT INTO journal") },
            Health.Warning, "transactions", "One has been open for 7 min: user 'writer', application 'orders', idle in transaction: INSERT INTO journal.");
        Is(
            Good with { Lock = new(7, "\"tags\"", IsGranted: false, new(TimeSpan.Zero, "deploy", "migration", "", "")) },
            Health.Bad, "lock", "Session 7 (user 'deploy', application 'migration') waits to lock \"tags\". Queries that read it wait");
    }

    [Fact]
    public void A_socket_has_no_port_and_no_pooler_is_seen() => Assert.All(Of(Good with { Port = null }), finding => Assert.Equal(Health.Good, finding.Health));

    [Fact]
    public void The_growth_is_that_of_events_and_not_of_orderings() =>
        Assert.Equal(1_000, SizeSql.Of(1, [(900_000, TimeSpan.TicksPerDay), (1_000, 0)]).PerDay);

    [Fact]
    public void Nothing_is_said_of_transactions_that_the_login_cannot_see()
    {
        var hidden = Good with { SeesStatements = false };
        Assert.DoesNotContain(Of(hidden), finding => finding.Subject == "transactions");
        var own = new OpenTransaction(TimeSpan.FromSeconds(2), "reader", "shop", "active", "SELECT 1");
        Assert.DoesNotContain(Of(hidden with { Oldest = own }), finding => finding.Subject == "transactions");
        Assert.Contains(Of(hidden with { Oldest = own with { Age = TimeSpan.FromMinutes(2) } }), finding => finding is { Subject: "transactions", Health: Health.Warning });
    }

    private static IReadOnlyList<Finding> Of(PostgreSqlFacts facts, PlannedReaders? planned = null) => [.. new PostgreSqlFindings(facts, 5432, planned).All(hasJournal: true)];

    private static void Is(PostgreSqlFacts facts, Health health, string subject, string text, string? remedy = null)
    {
        var finding = Assert.Single(Of(facts), finding => finding.Health != Health.Good);
        Assert.Equal((health, subject), (finding.Health, finding.Subject));
        Assert.StartsWith(text, finding.Text, StringComparison.Ordinal);
        Assert.NotNull(finding.Remedy);
        if (remedy is not null)
            Assert.Equal(remedy, finding.Remedy);
    }
}
