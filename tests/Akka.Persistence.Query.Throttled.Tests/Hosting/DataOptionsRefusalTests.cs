using Akka.Configuration;
using Akka.Event;
using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Akka.Persistence.Sql.Config;
using LinqToDB;
using LinqToDB.Data.RetryPolicy;
using LinqToDB.Interceptors;
using Npgsql;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

/// <summary><c>DataOptions</c> that cannot be used are refused; the log names unused parts of the others.</summary>
public sealed class DataOptionsRefusalTests
{
    private const string Path = "akka.persistence.query.journal.throttled";

    private static DataOptions PostgreSql => new DataOptions().UseConnectionString(ProviderName.PostgreSQL15, "Host=192.0.2.1");

    public static TheoryData<DataOptions, string> Impossible() => new()
    {
        {
            new DataOptions().UseConnectionString(ProviderName.MySql80MySqlConnector, "Server=a"),
            "has the provider MySql.8.0.MySqlConnector, which this version does not read. It must be one of PostgreSQL, SqlServer and SQLite."
        },
        {
            new DataOptions().UseConnectionString(ProviderName.OracleManaged, "Data Source=a"),
            "has the provider Oracle.Managed, which this version does not read. It must be one of PostgreSQL, SqlServer and SQLite."
        },
        {
            new DataOptions().UsePostgreSQL("Host=a"),
            "names no provider, so linq2db would have to connect to detect it. Name it, for example UseProvider(ProviderName.PostgreSQL15)."
        },
        {
            new DataOptions().UseProvider(ProviderName.PostgreSQL15).UseConnection(new NpgsqlConnection("Host=a")),
            "has one connection or transaction, which queries cannot share. Use UseConnectionString or UseConnectionFactory instead."
        },
        { new DataOptions().UseProvider(ProviderName.PostgreSQL15), "names no database. Use UseConnectionString or UseConnectionFactory." },
        {
            new DataOptions().UseProvider(ProviderName.PostgreSQL15).UseConfiguration("nowhere"),
            "names the configuration \"nowhere\", which linq2db does not know. Add it with DataConnection.AddConfiguration, or use UseConnectionString."
        },
    };

    [Theory]
    [MemberData(nameof(Impossible))]
    public void DataOptions_without_a_usable_database_are_refused_by_the_call(DataOptions options, string message)
    {
        var builder = new AkkaConfigurationBuilder(new Microsoft.Extensions.DependencyInjection.ServiceCollection(), "app");
        var error = Assert.Throws<ConfigurationException>(() => builder.WithThrottledReadJournal(options));
        Assert.Equal($"'DataOptions of {Path}' {message}", error.Message);
    }

    [Theory]
    [MemberData(nameof(Impossible))]
    public async Task Bad_DataOptions_of_the_write_plugin_prevent_the_host_from_starting(DataOptions options, string message)
    {
        var error = await Assert.ThrowsAsync<ConfigurationException>(
            () => TestApp.StartAsync(builder => builder.WithSqlPersistence(options).WithThrottledReadJournal()));
        Assert.Equal($"'DataOptions of akka.persistence.journal.sql' {message}", error.Message);
    }

    [Fact]
    public async Task A_wrong_connection_string_is_refused_with_the_name_of_its_options()
    {
        var error = await Assert.ThrowsAsync<ConfigurationException>(() => TestApp.StartAsync(builder => builder
            .WithSqlPersistence(new DataOptions().UseConnectionString(ProviderName.PostgreSQL15, "Password=hunter2;Database=app")).WithThrottledReadJournal()));
        Assert.StartsWith("'DataOptions of akka.persistence.journal.sql': The connection string has no 'Host'", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(ProviderName.PostgreSQL15, "Npgsql.NpgsqlConnection")]
    [InlineData(ProviderName.SqlServer2022, "Microsoft.Data.SqlClient.SqlConnection")]
    public async Task The_error_of_a_factory_that_fails_or_uses_another_driver_names_the_cause(string provider, string connection)
    {
        var options = new DataOptions().UseProvider(provider);
        var error = await Assert.ThrowsAsync<ConfigurationException>(() => TestApp.StartAsync(
            builder => builder.WithThrottledReadJournal(options.UseConnectionFactory(_ => new Microsoft.Data.Sqlite.SqliteConnection("Data Source=x.db")))));
        Assert.StartsWith($"'DataOptions of {Path}': ", error.Message, StringComparison.Ordinal);
        Assert.EndsWith($" makes a Microsoft.Data.Sqlite.SqliteConnection; it must make {connection}s.", error.Message, StringComparison.Ordinal);

        var failure = await Assert.ThrowsAsync<InvalidOperationException>(() => TestApp.StartAsync(
            builder => builder.WithThrottledReadJournal(options.UseConnectionFactory(_ => throw new InvalidOperationException("There is no password.")))));
        Assert.Equal("There is no password.", failure.Message);
    }

    [Fact]
    public async Task A_setup_without_readable_options_is_refused_with_the_remedy()
    {
        var error = await Assert.ThrowsAsync<ConfigurationException>(() => TestApp.StartAsync(builder => builder
            .AddSetup(new DataOptionsSetup(PostgreSql))
            .AddHocon("akka.persistence.journal { plugin = akka.persistence.journal.sql, sql { } }", HoconAddMode.Prepend)
            .WithThrottledReadJournal()));
        Assert.StartsWith("The write plugin 'akka.persistence.journal.sql' uses a DataOptionsSetup", error.Message, StringComparison.Ordinal);
        Assert.Contains("WithThrottledReadJournal", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void DataOptions_and_a_data_source_exclude_each_other()
    {
        using var source = NpgsqlDataSource.Create("Host=192.0.2.1");
        var builder = new AkkaConfigurationBuilder(new Microsoft.Extensions.DependencyInjection.ServiceCollection(), "app");
        var error = Assert.Throws<ConfigurationException>(() => builder.WithThrottledReadJournal(PostgreSql, options => options.DataSource = source));
        Assert.StartsWith("'DataSource' and 'DataOptions' are both set; only one may be", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Unused_parts_of_DataOptions_are_logged(bool isOwn)
    {
        var logged = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        var options = PostgreSql.UseInterceptor(new Commands()).UseCommandTimeout(5).UseRetryPolicy(new SqlServerLikePolicy());
        await using var app = await TestApp.StartAsync(builder =>
        {
            builder.AddHocon("akka.loglevel = INFO", HoconAddMode.Prepend).StartActors((system, _) => system.EventStream.Subscribe(
                system.ActorOf(Actor.Props.Create(() => new Listener(logged))), typeof(Info)));
            if (isOwn)
                builder.WithThrottledReadJournal(options);
            else
                builder.WithSqlPersistence(options).WithThrottledReadJournal();
        });
        Assert.Equal(
            $"The read journal does not use these parts of 'DataOptions of {(isOwn ? Path : "akka.persistence.journal.sql")}': Commands, RetryPolicy, CommandTimeout. "
            + "It repeats statements by itself, and 'statement-timeout' ends them.",
            await logged.Task.WithinAsync("the log entry"));
    }

    private sealed class Commands : CommandInterceptor;

    private sealed class SqlServerLikePolicy : RetryPolicyBase
    {
        internal SqlServerLikePolicy()
            : base(1, TimeSpan.Zero, 1, 1, TimeSpan.Zero)
        {
        }

        protected override bool ShouldRetryOn(Exception exception) => false;
    }

    private sealed class Listener : Actor.UntypedActor
    {
        private readonly TaskCompletionSource<string> _logged;

        public Listener(TaskCompletionSource<string> logged) => _logged = logged;

        protected override void OnReceive(object message)
        {
            if (message is Info { Message: var text } && text.ToString()!.Contains("DataOptions", StringComparison.Ordinal))
                _logged.TrySetResult(text.ToString()!);
        }
    }
}
