using Npgsql;
using Throttled.Faults.Bounds;
using Throttled.Faults.World;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Security;

/// <summary>Certificates that expire while queries follow prevent new sessions until they are renewed, and cost no query and no event.</summary>
[Collection(AloneCollection.Name)]
public sealed class ExpiryTests(ITestOutputHelper output) : IDisposable
{
    private const string Address = "127.0.0.1";

    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-expiry-");
    private readonly TestAuthority _authority = new("Authority of the tests");

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Certificates_that_expire_under_very_many_cost_no_query_and_no_event()
    {
        using var server = PostgreSqlServer.Start(tls: OfServer(isExpired: false));
        await using var journal = await PostgreSqlHost.CreateAsync(server);
        await journal.ExecuteAsync($"CREATE ROLE {PostgreSqlTls.CertifiedUser} LOGIN IN ROLE {PostgreSqlServer.Reader}");
        WriteClient(isExpired: false);
        journal.ReaderConnectionString = Certified(journal);
        await using var run = await FaultRun.StartAsync(journal, new("PostgreSQL", LongShare.Of(10_000)), output);
        await run.StrikeTwiceAsync(
            "server's certificate expired, and renewed",
            () => ShowAsync(run, server, isExpired: true),
            () => ShowAsync(run, server, isExpired: false));
        await run.StrikeAsync(
            "reader's certificate expired, and renewed",
            async () =>
            {
                WriteClient(isExpired: true);
                await MeetsAsync(run);
            },
            () =>
            {
                WriteClient(isExpired: false);
                return Task.CompletedTask;
            });
        await run.EndAsync();
    }

    public void Dispose()
    {
        _authority.Dispose();
        _directory.Delete(recursive: true);
    }

    private async Task ShowAsync(FaultRun run, PostgreSqlServer server, bool isExpired)
    {
        server.Show(OfServer(isExpired));
        await run.Journal.ExecuteAsync("SELECT pg_reload_conf()");
        if (isExpired)
            await MeetsAsync(run);
    }

    // Existing sessions stay connected.
    private static async Task MeetsAsync(FaultRun run)
    {
        await run.Meter.MoreAsync(2, "keys");
        await ((PostgreSqlJournalUnderTest)run.Journal).TerminateReadersAsync();
        await run.Meter.MoreAsync(3, "probe");
    }

    private PostgreSqlTls OfServer(bool isExpired)
    {
        var (certificate, key) = _authority.Sign(Address, isExpired);
        return new(certificate, key, _authority.Pem);
    }

    private void WriteClient(bool isExpired)
    {
        var (certificate, key) = _authority.Sign(PostgreSqlTls.CertifiedUser, isExpired);
        Write("client.crt", certificate);
        Write("client.key", key);
    }

    private string Certified(PostgreSqlJournalUnderTest journal) => new NpgsqlConnectionStringBuilder(journal.ReaderConnectionString)
    {
        Username = PostgreSqlTls.CertifiedUser,
        Password = null,
        SslMode = SslMode.VerifyFull,
        RootCertificate = Write("root.crt", _authority.Pem),
        SslCertificate = FileOf("client.crt"),
        SslKey = FileOf("client.key"),
        Timeout = 2,
    }.ConnectionString;

    private string FileOf(string name) => Path.Combine(_directory.FullName, name);

    private string Write(string name, string text)
    {
        File.WriteAllText(FileOf(name), text);
        return FileOf(name);
    }
}
