using System.Net;
using System.Net.Sockets;
using Akka.Streams;
using Akka.Streams.Dsl;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>Opening a journal does not touch its database.</summary>
public sealed class OpeningTests
{
    [Fact]
    public async Task A_server_is_not_connected_to_before_the_first_query()
    {
        using var server = new TcpListener(IPAddress.Loopback, 0);
        server.Start();
        var port = ((IPEndPoint)server.LocalEndpoint).Port;
        await using var system = new ConfiguredSystem(Hocon.Journal($$"""
            provider-name = PostgreSQL
            connection-string = "Host=127.0.0.1;Port={{port}};Username=reader"
            current-query-timeout = 1s
            """));
        var journal = system.Open();
        Assert.Empty(await system.LoggedAsync());
        Assert.False(server.Pending());
        // The same holds for a query that is built and not run.
        var query = journal.CurrentAllEvents(Offset.NoOffset());
        Assert.False(server.Pending());
        var events = query.RunWith(Sink.Seq<EventEnvelope>(), system.System.Materializer());
        using var connection = await server.AcceptTcpClientAsync();
        connection.Dispose();
        // From now on every connection attempt fails at once.
        server.Stop();
        var error = await Assert.ThrowsAsync<JournalException>(() => events);
        Assert.Contains($"('{ThrottledReadJournal.Identifier}.current-query-timeout')", error.Message, StringComparison.Ordinal);
        await system.LogsAsync("The journal cannot be read");
    }

    [Fact]
    public async Task A_file_is_not_created()
    {
        var file = Path.Combine(Path.GetTempPath(), $"throttled-{Guid.NewGuid():N}.db");
        using var system = new ConfiguredSystem(Hocon.Journal($"connection-string = \"Data Source={file}\""));
        system.Open();
        Assert.Empty(await system.LoggedAsync());
        Assert.False(File.Exists(file));
    }
}
