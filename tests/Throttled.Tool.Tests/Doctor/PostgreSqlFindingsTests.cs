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
        Limit = -1,
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
        Assert.Contains(findings, finding => finding.Text == "97 connections for this login; open on the server now: 12; 2 processes with 40 permits open up to 84");
        Assert.Contains(findings, finding => finding.Text == "12.3 MB, the last ordering is 45,678, and it grows by 86,400 events a day");
    }

    [Theory]
    [InlineData(3, 40, 97, -1, "Set MaxConcurrentQueries (max-concurrent-queries) to at most 28, and less")]
    [InlineData(2, 40, 97, 60, "Set MaxConcurrentQueries (max-concurrent-queries) to at most 25, and less")]
    [InlineData(40, 1, 97, -1, "Run fewer processes, or raise max_connections")]
    [InlineData(40, 1, 97, 60, "Run fewer processes, or raise the CONNECTION LIMIT of the login or of the database")]
    public void Too_many_permits_are_told_with_the_number_that_fits(int processes, int permits, int usable, int limit, string remedy)
    {
        var finding = Assert.Single(Of(Good with { Usable = usable, Limit = limit }, new(processes, permits)), finding => finding.Health != Health.Good);
        Assert.Equal((Health.Bad, "connections"), (finding.Health, finding.Subject));
        Assert.StartsWith(remedy, finding.Remedy, StringComparison.Ordinal);
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
