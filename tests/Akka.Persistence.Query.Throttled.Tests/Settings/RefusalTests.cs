using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>A wrong value is refused when the journal is opened, and shown as it was written.</summary>
public sealed class RefusalTests(RefusalTests.Sections sections) : IClassFixture<RefusalTests.Sections>
{
    private const string Whole = "a whole number of at most 2147483647";
    private const string Span = "a duration, as in 200ms, 30s or 1h";
    private const string Layouts = "one of default, sqlite, postgresql, sql-server, sqlserver, mysql";
    private const string Providers =
        "PostgreSQL, SqlServer or SQLite, also with a version or driver after a dot, as in PostgreSQL.15, SqlServer.2019 or SQLite.MS: this version reads no other database";

    private const string PayloadSize = "a size of at most 2147483647 bytes, as in 16MiB, or off";

    private static readonly (string Key, string Allowed)[] WholeNumbers =
    [
        ("max-concurrent-queries", "at least 1"), ("max-queries-per-second", "from 0 to 1000000"), ("burst", "at least 1"), ("max-buffer-size", "from 1 to 100000"),
        ("max-queries-per-statement", "from 1 to 10000"), ("max-rows-per-statement", "at least 1"), ("tail-max-lag", "at least 1"),
    ];

    private static readonly (string Key, string Wrong, string Shown, string Allowed)[] Durations =
    [
        ("query-throttle-warning", "999ms", "999 ms", "from 1 s to 1 d"), ("query-throttle-warning", "25h", "25 h", "from 1 s to 1 d"),
        ("refresh-interval", "0", "0 s", "from 1 ms to 1 h"), ("refresh-interval", "61m", "61 min", "from 1 ms to 1 h"),
        ("gap-timeout", "0s", "0 s", "from 1 s to 1 h"), ("gap-timeout", "2h", "2 h", "from 1 s to 1 h"),
        ("statement-timeout", "10ms", "10 ms", "from 1 s to 1 h"), ("statement-timeout", "2h", "2 h", "from 1 s to 1 h"),
        ("fatal-error-grace-period", "2h", "2 h", "from 0 s to 1 h"), ("current-query-timeout", "0s", "0 s", "at least 1 s"),
    ];

    private static readonly (string Key, string Allowed)[] Words =
    [
        ("table-mapping", Layouts), ("tag-read-mode", "one of TagTable, Csv"), ("tag-separator", "one character"), ("on-gap-timeout", "one of wait, skip"),
        ("on-undecodable-event", "one of fail, skip, deliver"), ("stored-as", "one of bytea, json, jsonb"), ("provider-name", Providers),
        ("require-table", "on or off"), ("prepare-statements", "on or off"), ("notify", "on or off"), ("allow-cached-sequence", "on or off"),
    ];

    private static readonly (string Key, string Allowed)[] Unparsed =
    [
        .. WholeNumbers.Select(each => (each.Key, Whole)), ("max-buffered-bytes", "a size, as in 64MiB"),
        ("max-payload-bytes", PayloadSize), ("min-poll-interval", Span),
        .. Durations.Where(each => each.Key != "current-query-timeout").Select(each => each.Key).Distinct().Select(key => (key, Span)),
        ("current-query-timeout", "a duration, as in 30s, or infinite"), .. Words,
    ];

    public static TheoryData<string, string, string> Wrong()
    {
        var data = new TheoryData<string, string, string>();
        foreach (var (key, allowed) in Unparsed)
        {
            data.Add(key, "\"-x-\"", $"\"-x-\"; it must be {allowed}.");
            data.Add(key, "\"\"", $"\"\"; it must be {allowed}.");
            data.Add(key, "null", $"null; it must be {allowed}.");
            data.Add(key, "{ a = 1 }", $"a section; it must be {allowed}.");
            data.Add(key, "[1, 2]", $"a list; it must be {allowed}.");
        }
        foreach (var (key, allowed) in WholeNumbers)
        {
            data.Add(key, "-1", $"-1; it must be {allowed}.");
            data.Add(key, "1.5", $"\"1.5\"; it must be {Whole}.");
            data.Add(key, "2147483648", $"\"2147483648\"; it must be {Whole}.");
        }
        foreach (var (key, wrong, shown, allowed) in Durations)
            data.Add(key, wrong, $"{shown}; it must be {allowed}.");
        foreach (var key in Durations.Select(each => each.Key).Append("min-poll-interval").Distinct())
            data.Add(key, "-1s", $"\"-1s\"; it must be {Unparsed.Single(each => each.Key == key).Allowed}.");
        return data;
    }

    public static TheoryData<string, string, string> Particular => new()
    {
        { "max-buffer-size", "0", "0; it must be from 1 to 100000." },
        { "max-buffer-size", "100001", "100001; it must be from 1 to 100000." },
        { "max-queries-per-second", "1000001", "1000001; it must be from 0 to 1000000." },
        { "max-buffered-bytes", "0", "0; it must be at least 1." },
        { "max-buffered-bytes", "-1", "-1; it must be at least 1." },
        { "max-buffered-bytes", "64parsecs", "\"64parsecs\"; it must be a size, as in 64MiB." },
        { "max-payload-bytes", "0", "0; it must be at least 1." },
        { "max-payload-bytes", "2GiB", $"\"2GiB\"; it must be {PayloadSize}." },
        { "gap-min-age", "11s", "11 s; it must be from 0 s to 10 s." },
        { "gap-min-age", "-x-", $"\"-x-\"; it must be {Span}, or empty." },
        { "gap-min-age", "null", $"null; it must be {Span}, or empty." },
        { "gap-min-age", "infinite", $"\"infinite\"; it must be {Span}, or empty." },
        { "refresh-interval", "infinite", $"\"infinite\"; it must be {Span}." },
        { "refresh-interval", "1e300h", $"\"1e300h\"; it must be {Span}." },
        { "require-table", "yes", "\"yes\"; it must be on or off." },
        { "tag-separator", "\";;\"", "\";;\"; it must be one character." },
        {
            "tag-read-mode", "Both",
            "\"Both\"; it must be TagTable or Csv. If the write plugin writes both, choose one that has the tags of all events."
        },
        { "table-mapping", "oracle", $"\"oracle\"; it must be {Layouts}." },
        { "table-compatibility-mode", "oracle", $"\"oracle\"; it must be {Layouts}." },
        { "provider-name", "SqlServerCe", $"\"SqlServerCe\"; it must be {Providers}." },
        { "provider-name", "SqlCe", $"\"SqlCe\"; it must be {Providers}." },
        { "provider-name", "\"SQL Server\"", $"\"SQL Server\"; it must be {Providers}." },
        { "provider-name", "MySql", $"\"MySql\"; it must be {Providers}." },
        { "provider-name", "MySqlConnector", $"\"MySqlConnector\"; it must be {Providers}." },
        { "provider-name", "Postgres", $"\"Postgres\"; it must be {Providers}." },
        { "default", "names", "\"names\"; it must be a section." },
        { "default.journal.table-name", "\"\"", "\"\"; it must be a name. Leave it out for the default." },
        { "default.journal.columns.ordering", "null", "\"\"; it must be a name. Leave it out for the default." },
        { "default.tag.columns.tag-value", "\"\"", "\"\"; it must be a name. Leave it out for the default." },
        {
            "write-plugin", "akka.persistence.journal.elsewhere",
            "\"akka.persistence.journal.elsewhere\"; it must be the path of a journal plugin that is configured, as in akka.persistence.journal.sql. "
            + "Leave it out to use the one that akka.persistence.journal.plugin names."
        },
        {
            "write-plugin", "akka.loglevel",
            "\"akka.loglevel\"; it must be the path of a journal plugin that is configured, as in akka.persistence.journal.sql. "
            + "Leave it out to use the one that akka.persistence.journal.plugin names."
        },
        { "serializer", "jsonn", "\"jsonn\"; it must be the name of a serializer in akka.actor.serializers." },
        { "notify", "on", "true; it must be false, because SQLite cannot notify other processes. Leave it out." },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    [MemberData(nameof(Particular))]
    public void A_wrong_value_is_refused_as_it_was_written(string key, string value, string message)
    {
        var differs = Differs(key, value);
        Assert.Equal($"'{sections.IdOf(differs)}.{key}' is {message}", sections.Refusal(differs).Message);
    }

    [Theory]
    [InlineData("connection-string")]
    [InlineData("serializer")]
    [InlineData("write-plugin")]
    [InlineData("default.schema-name")]
    public void Null_means_empty_for_a_setting_that_may_be_empty(string key)
    {
        using var system = new ConfiguredSystem($$"""
            akka.persistence.journal { plugin = "akka.persistence.journal.sqlite", sqlite.connection-string = "Data Source=written.db" }
            {{Hocon.Journal($"{key} = null")}}
            """);
        var settings = system.Read();
        Assert.Null(settings.Serializer);
        Assert.Null(settings.Options.Tables.Schema);
        Assert.Equal("akka.persistence.journal.sqlite", settings.WritePlugin);
        Assert.Equal(key == "connection-string" ? "Data Source=written.db" : "Data Source=settings.db", settings.ConnectionString);
    }

    [Fact]
    public void An_event_adapter_that_cannot_be_created_is_refused_with_its_plugin()
    {
        using var system = new ConfiguredSystem($$"""
            akka.persistence.journal { plugin = "akka.persistence.journal.sqlite", sqlite.event-adapters.tagger = "Orders.Tagger, Orders" }
            {{Hocon.Journal()}}
            """);
        Assert.StartsWith("The event adapters of 'akka.persistence.journal.sqlite' cannot be created: ", system.Refusal().Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_refused_journal_can_be_requested_again()
    {
        using var system = new ConfiguredSystem(Hocon.Journal("burst = 0"));
        Assert.Equal(system.Refusal().Message, system.Refusal().Message);
    }

    private static string Differs(string key, string value) => $"{key} = {value}";

    public sealed class Sections() : SectionedSystem(Wrong().Concat(Particular).Select(each => Differs((string)each[0], (string)each[1])));
}
