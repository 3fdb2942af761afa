using System.Net;
using System.Net.Sockets;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Tests.Journals;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>An unavailable shard fails only its own ids until it is available again.</summary>
public sealed class UnavailableTests : IDisposable
{
    private readonly ShardedFiles _files = ShardedFiles.OfSql(2);
    private readonly string _directory = Path.Combine(Path.GetTempPath(), $"throttled-unavailable-{Guid.NewGuid():N}");

    [Fact]
    public async Task An_unavailable_shard_fails_only_its_own_ids_until_it_is_available()
    {
        // SQLite creates no directories.
        await using (var kit = ShardedKit.On(_files, $"shards.s1.connection-string = \"Data Source={_directory}/journal.db;Pooling=false\""))
        {
            Assert.Null(await kit.PersistAsync(_files.IdIn(0), "1"));
            for (var i = 0; i < 3; i++)
            {
                var error = await kit.PersistAsync(_files.IdIn(1), "x");
                Assert.StartsWith("Shard 1 (slices 512-1023): The database of 'shards.s1' cannot be probed: ", error!.Message, StringComparison.Ordinal);
            }
            Assert.Null(await kit.PersistAsync(_files.IdIn(0), "2"));
            var logged = Assert.Single(await kit.LoggedAsync(LogLevel.WarningLevel));
            Assert.EndsWith("Messages for this shard fail until its database is back; the other shards go on.", logged, StringComparison.Ordinal);

            Directory.CreateDirectory(_directory);
            Assert.Null(await kit.PersistAsync(_files.IdIn(1), "1"));
            Assert.Contains("The database of 'shards.s1' is available again.", await kit.LoggedAsync(LogLevel.InfoLevel));
        }
        Assert.Equal(2, _files.EventsIn(0)[_files.IdIn(0)]);
        Assert.True(File.Exists($"{_directory}/journal.db"));
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task A_killed_server_fails_only_its_own_ids_until_it_is_available()
    {
        using var server = PostgreSqlServer.Start();
        var connection = server.CreateDatabase();
        await using var kit = ShardedKit.On(_files, $$"""
            shards.s1 { connection-string = "{{connection}};Timeout=5", provider-name = "PostgreSQL.15" }
            """);
        Assert.Null(await kit.PersistAsync(_files.IdIn(1), "1"));
        server.Kill();
        Assert.NotNull(await kit.PersistAsync(_files.IdIn(1), "x"));
        for (var i = 0; i < 20; i++)
            Assert.Null(await kit.PersistAsync(_files.IdIn(0), "during the outage"));
        server.Start();
        // The write plugin's circuit breaker may be open for a while.
        await Wait.UntilAsync(async () => await kit.PersistAsync(_files.IdIn(1), "2") is null, () => "the shard to be available", TimeSpan.FromMinutes(3));
    }

    [Fact]
    [Trait("Category", "Long")]
    public async Task A_server_that_does_not_answer_delays_the_others_once()
    {
        // It accepts connections and never answers.
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        await using var kit = ShardedKit.On(_files, $$"""
            shards.s1 { connection-string = "Host=127.0.0.1;Port={{((IPEndPoint)silent.LocalEndpoint).Port}};Database=x;Username=x;Password=x", provider-name = "PostgreSQL.15" }
            """);
        Assert.Null(await kit.PersistAsync(_files.IdIn(0), "1"));
        Assert.Equal(
            "Shard 1 (slices 512-1023): The database of 'shards.s1' cannot be probed: it does not answer within 5 s",
            (await kit.PersistAsync(_files.IdIn(1), "x"))!.Message);
    }

    public void Dispose()
    {
        _files.Delete();
        if (Directory.Exists(_directory))
            Directory.Delete(_directory, recursive: true);
    }
}
