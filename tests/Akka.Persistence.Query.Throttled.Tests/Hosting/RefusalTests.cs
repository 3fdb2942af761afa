using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Microsoft.Data.SqlClient;
using Npgsql;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

/// <summary>A wrong configuration prevents the host from starting.</summary>
public sealed class RefusalTests
{
    private const string Path = "akka.persistence.query.journal.throttled";

    public static TheoryData<Action<ThrottledReadJournalOptions>, string> Wrong() => new()
    {
        { options => options.MaxConcurrentQueries = 0, $"'{Path}.max-concurrent-queries' is 0; it must be at least 1." },
        { options => options.MaxQueriesPerSecond = -1, $"'{Path}.max-queries-per-second' is -1; it must be from 0 to 1000000." },
        { options => options.MaxBufferSize = 100_001, $"'{Path}.max-buffer-size' is 100001; it must be from 1 to 100000." },
        { options => options.MaxBufferedBytes = 0, $"'{Path}.max-buffered-bytes' is 0; it must be at least 1." },
        { options => options.MaxPayloadBytes = 0, $"'{Path}.max-payload-bytes' is 0; it must be at least 1." },
        { options => options.RefreshInterval = TimeSpan.Zero, $"'{Path}.refresh-interval' is 0 s; it must be from 1 ms to 1 h." },
        {
            options => options.RefreshInterval = TimeSpan.FromMilliseconds(-5),
            $"'{Path}.refresh-interval' is \"-5ms\"; it must be a duration, as in 200ms, 30s or 1h."
        },
        {
            options => options.GapTimeout = Timeout.InfiniteTimeSpan,
            $"'{Path}.gap-timeout' is \"infinite\"; it must be a duration, as in 200ms, 30s or 1h."
        },
        { options => options.CurrentQueryTimeout = TimeSpan.FromMilliseconds(1), $"'{Path}.current-query-timeout' is 1 ms; it must be at least 1 s." },
        {
            options => options.TableMapping = (TableMapping)7,
            $"'{Path}.table-mapping' is \"7\"; it must be one of default, sqlite, postgresql, sql-server, sqlserver, mysql."
        },
        { options => options.TagSeparator = ";;", $"'{Path}.tag-separator' is \";;\"; it must be one character." },
        { options => options.ProviderName = "MySql", $"'{Path}.provider-name' is \"MySql\"; it must be PostgreSQL, SqlServer or SQLite, " },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public async Task A_bad_value_is_refused_with_the_name_of_its_setting(Action<ThrottledReadJournalOptions> set, string message)
    {
        var error = await Assert.ThrowsAsync<ConfigurationException>(
            () => TestApp.StartAsync(builder => builder.WithThrottledReadJournal("Data Source=a.db", "SQLite", set)));
        Assert.StartsWith(message, error.Message);
    }

    [Fact]
    public void A_bad_value_is_refused_by_the_call()
    {
        var builder = new AkkaConfigurationBuilder(new Microsoft.Extensions.DependencyInjection.ServiceCollection(), "app");
        Assert.Throws<ConfigurationException>(() => builder.WithThrottledReadJournal(options => options.Burst = 0));
        Assert.False(builder.Configuration.HasValue);
    }

    public static TheoryData<Action<AkkaConfigurationBuilder>, string> Impossible() => new()
    {
        {
            builder => builder.WithThrottledReadJournal("Password=hunter2;Database=app", "PostgreSQL"),
            $"'{Path}.connection-string': The connection string has no 'Host'"
        },
        { builder => builder.WithThrottledReadJournal("Data Source=:memory:", "SQLite"), $"'{Path}.connection-string': " },
        {
            builder => builder.WithThrottledReadJournal("Password=hunter2;Database=app", "SqlServer.2022"),
            $"'{Path}.connection-string': The connection string has no 'Server'"
        },
        {
            builder => builder.WithThrottledReadJournal("Data Source=a.db", "SQLite", options => options.Notify = true),
            $"'{Path}.notify' is true; it must be false, because SQLite"
        },
        { builder => builder.WithThrottledReadJournal(), $"'{Path}.connection-string' is empty, and no write plugin is configured: " },
        {
            builder => builder.WithThrottledReadJournal("Data Source=a.db", "SQLite", options => options.WritePlugin = "akka.persistence.journal.none"),
            $"'{Path}.write-plugin' is \"akka.persistence.journal.none\"; it must be the path of a journal plugin that is configured"
        },
        {
            builder => builder.WithThrottledReadJournal("Data Source=a.db", "SQLite", options => options.Serializer = "none"),
            $"'{Path}.serializer' is \"none\"; it must be the name of a serializer in akka.actor.serializers."
        },
        {
            builder => builder.WithThrottledReadJournal(NpgsqlDataSource.Create("Host=a;Multiplexing=true")),
            $"The data source of '{Path}': 'Multiplexing' is true"
        },
        {
            builder => builder.WithThrottledReadJournal(NpgsqlDataSource.Create("Host=a"), options => options.ProviderName = "SQLite"),
            $"The data source of '{Path}': SQLite takes no data source."
        },
        {
            builder => builder.WithThrottledReadJournal(SqlClientFactory.Instance.CreateDataSource("Server=a;Application Intent=ReadOnly;Password=hunter2")),
            $"The data source of '{Path}': 'Application Intent' is ReadOnly;"
        },
        {
            builder => builder.WithThrottledReadJournal(NpgsqlDataSource.Create("Host=a;Password=hunter2"), options => options.ProviderName = "SqlServer.2019"),
            $"The data source of '{Path}': The data source Npgsql."
        },
    };

    [Theory]
    [MemberData(nameof(Impossible))]
    public async Task Errors_of_the_whole_configuration_are_refused_when_the_actor_system_starts(Action<AkkaConfigurationBuilder> configure, string message)
    {
        var error = await Assert.ThrowsAnyAsync<Exception>(() => TestApp.StartAsync(configure));
        Assert.StartsWith(message, Assert.IsType<ConfigurationException>(error).Message);
        Assert.DoesNotContain("hunter2", error.ToString());
    }
}
