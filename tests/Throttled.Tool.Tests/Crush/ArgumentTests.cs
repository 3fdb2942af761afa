extern alias crush;

using crush::CrushTest;
using crush::CrushTest.Databases;
using crush::CrushTest.Settings;
using crush::Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tests.Crush;

public sealed class ArgumentTests
{
    private const string Files = "sqlite";

    [Fact]
    public void Without_arguments_a_hundred_thousand_actors_follow_ten_million_events_on_sqlite()
    {
        var settings = CrushCommand.Read();
        Assert.Equal((100_000, 5_000_000), (settings.Streams, settings.AllEvents));
        Assert.Same(CrushKind.Sqlite, settings.Kind);
        Assert.True(settings is { HasStreams: true, HasSubscriptions: true });
        Assert.Null(settings.ExistingLimit);
    }

    [Theory]
    [InlineData("streams", Part.Streams, Part.Empty, Part.Streams)]
    [InlineData("Subscriptions", Part.Subscriptions, Part.Subscriptions)]
    [InlineData("both", Part.Streams, Part.Subscriptions, Part.Empty, Part.Streams)]
    public void The_readers_run_in_turn_and_the_last_is_under_test(string readers, object subject, params object[] parts)
    {
        var settings = CrushCommand.Read("--readers", readers, "--actors", "1m");
        Assert.Equal(1_000_000, settings.Streams);
        Assert.Equal(parts.Cast<Part>(), settings.ActorParts);
        Assert.Equal(subject, new Outcome(settings).Subject);
    }

    [Fact]
    public void The_engine_runs_alone_where_that_is_asked_for() => Assert.False(CrushCommand.Read("--engine").HasActors);

    [Theory]
    [InlineData("", 1)]
    [InlineData("--engine", 3)]
    [InlineData("--engine --rounds 1", 1)]
    public void The_engine_alone_has_three_rounds_where_nothing_else_is_said(string arguments, int rounds) =>
        Assert.Equal(rounds, CrushCommand.Read(arguments.Split(' ', StringSplitOptions.RemoveEmptyEntries)).Rounds);

    [Theory]
    [InlineData("sqlite", "SQLite.MS")]
    [InlineData("postgres", "PostgreSQL.15")]
    [InlineData("sqlserver", "SqlServer.2022")]
    public void Every_database_has_the_provider_name_that_read_journals_know(string option, string provider) =>
        Assert.Equal(provider, CrushCommand.Read("--database", option).Kind.Provider);

    [Fact]
    public void There_are_as_many_shards_as_connections() =>
        Assert.Equal(3, CrushCommand.Read("--connection", "a", "--connection", "b", "--connection", "c").Shards);

    [Fact]
    public void Shards_have_files_of_their_own_and_tables_of_one_name()
    {
        var places = CrushCommand.Read("--shards", "2", "--streams", "7", "--events", "3").Places;
        Assert.Equal(["7x3_bytes_0of2", "7x3_bytes_1of2"], places.Select(place => place.File));
        Assert.Equal(["7x3_bytes_of2", "7x3_bytes_of2"], places.Select(place => place.Table));
    }

    [Fact]
    public void Journals_of_other_sizes_payloads_and_shards_have_other_names()
    {
        string[][] journals = [[], ["--streams", "7"], ["--events", "7"], ["--payload", "int"], ["--shards", "2"], ["--shards", "3"]];
        var places = journals.Select(arguments => CrushCommand.Read(arguments).Places[0]).ToList();
        Assert.Distinct(places.Select(place => place.File));
        Assert.Distinct(places.Select(place => place.Table));
    }

    [Fact]
    public void The_existing_plugin_runs_beside_within_a_limit() =>
        Assert.Equal(TimeSpan.FromSeconds(60), CrushCommand.Read("--beside", "akka.persistence.sql", "--limit", "60").ExistingLimit);

    [Theory]
    [InlineData("--streams 0", "--actors is '0'; it must be a whole number from 1 to 10,000,000. Leave it out for 100,000. See --help.")]
    [InlineData("--events many", "--events is 'many'; it must be a whole number from 1 to 1,000,000. Leave it out for 50. See --help.")]
    [InlineData("--limit -1", "--limit is '-1'; it must be a whole number from 1 to 86,400. Leave it out for 600. See --help.")]
    [InlineData("--database oracle", "--database is 'oracle'; it must be sqlite, postgres or sqlserver. Leave it out for sqlite.")]
    [InlineData("--payload text", "--payload is 'text'; it must be one of bytes, int, record, json_int, json_record, protobuf_int, protobuf_record. Leave it out for bytes.")]
    [InlineData("--beside Marten", "--beside is 'Marten'; it must be Akka.Persistence.Sql. Leave it out to run this plugin alone.")]
    [InlineData("--readers loops", "--readers is 'loops'; it must be streams, subscriptions or both. Leave it out for both.")]
    [InlineData("--readers both --engine", "--readers is 'both', but --engine runs without Akka. Leave one of them out.")]
    [InlineData(
        "--beside Akka.Persistence.Sql --readers subscriptions",
        "--beside is 'Akka.Persistence.Sql', which has only streams, but --readers is subscriptions. Leave one of them out.")]
    [InlineData("--beside Akka.Persistence.Sql --engine", "--beside is 'Akka.Persistence.Sql', but --engine runs without Akka. Leave one of them out.")]
    [InlineData(
        "--beside Akka.Persistence.Sql --shards 2",
        "--beside is 'Akka.Persistence.Sql', which can read only one database, but there are 2. Give one --connection and no --shards, or leave --beside out.")]
    [InlineData(
        "--shards 2 --connection one",
        "--shards is 2, but --connection is given 1 time; each shard needs one. Leave --shards out, or give 2.")]
    [InlineData(
        "--shards 2 --database postgres",
        "--shards is 2, but --connection is missing; --database postgres needs one for each shard. Give 2, and leave --shards out.")]
    [InlineData("--colour", "'--colour' is not known here. See --help.")]
    public void A_wrong_argument_is_refused_by_name_with_its_value_and_a_remedy(string arguments, string message) =>
        Assert.Equal(message, Assert.Throws<CrushException>(() => CrushCommand.Read(arguments.Split(' '))).Message);

    [Theory]
    [InlineData("postgres", "Host", "--connection cannot be read: ")]
    [InlineData("postgres", "Database=app", "--connection has no Host; it must name the server. ")]
    [InlineData("sqlserver", "Server=one", "--connection has no Database; it must name the one that the crush test may write to. ")]
    [InlineData("sqlserver", " ", "--connection is missing; --database sqlserver needs it. ")]
    [InlineData(Files, "Data Source=:memory:", "--connection has the Data Source ':memory:', in memory; it must be a file, ")]
    [InlineData(Files, "Data Source=", "--connection has the Data Source ''; it must name a file. ")]
    public void A_wrong_connection_string_is_refused_before_anything_runs(string database, string connection, string start)
    {
        var settings = CrushCommand.Read("--database", database, "--connection", connection);
        Assert.StartsWith(start, Assert.ThrowsAny<CommandException>(() => CrushJournal.Open(settings)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_database_that_is_named_twice_is_refused()
    {
        var settings = CrushCommand.Read("--connection", "Data Source=a.db", "--connection", "Data Source=./a.db");
        Assert.Contains("twice", Assert.Throws<CrushException>(() => CrushJournal.Open(settings)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_wrong_argument_ends_with_exit_code_2() => Assert.Equal(2, await CrushCommand.RunAsync(["--database", "oracle"]));
}
