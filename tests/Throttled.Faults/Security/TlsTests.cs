using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.PostgreSql.Tests.Contract;

namespace Throttled.Faults.Security;

/// <summary>The encryption settings of a connection string or data source apply to every connection of a reader.</summary>
[Collection(SecurityCollection.Name)]
public sealed class TlsTests(TlsServer server, PostgreSqlHost host)
{
    [PostgreSqlFact]
    public async Task Every_session_of_a_reader_is_encrypted_including_the_listener()
    {
        var journal = await server.JournalAsync();
        await using var reader = PostgreSqlJournal.OpenReader(Verified(journal), new() { Notify = true });
        await ReadAsync(reader);
        await using var owner = await journal.ConnectAsync();
        await Wait.UntilAsync(async () => await owner.ScalarAsync<long>(Sessions("a.query LIKE 'LISTEN%'")) == 1, () => "a session that listens");
        Assert.True(await owner.ScalarAsync<long>(Sessions("s.ssl")) >= 2);
        Assert.Equal(0, await owner.ScalarAsync<long>(Sessions("NOT s.ssl")));
    }

    [PostgreSqlFact]
    public async Task A_statement_is_cancelled_over_an_encrypted_connection()
    {
        var journal = await server.JournalAsync();
        await using var tableLock = await journal.ConnectAsync();
        await using var watcher = await journal.ConnectAsync();
        await using var reader = PostgreSqlJournal.OpenReader(Verified(journal));
        await ReadAsync(reader);
        await tableLock.RunAsync("BEGIN; LOCK TABLE journal");
        using var stop = new CancellationTokenSource();
        var reading = Task.Run(async () =>
        {
            await foreach (var _ in reader.CurrentEventsByPersistenceId("a").WithCancellation(stop.Token))
            {
            }
        });
        const string waits = "a.state = 'active' AND a.query LIKE '%LATERAL%'";
        await Wait.UntilAsync(async () => await watcher.ScalarAsync<long>(Sessions(waits)) == 1, () => "a statement that waits");
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading.WithinAsync("the end of the query"));
        await Wait.UntilAsync(async () => await watcher.ScalarAsync<long>(Sessions(waits)) == 0, () => "the end of the statement");
        await tableLock.RunAsync("ROLLBACK");
        await ReadAsync(reader);
    }

    [PostgreSqlFact]
    public async Task A_server_with_a_certificate_of_another_authority_is_refused_at_once()
    {
        var journal = await server.JournalAsync();
        var error = await RefusedAsync($"{journal.ReaderConnectionString};SSL Mode=VerifyFull;Root Certificate={server.WrongRootFile}");
        Assert.Contains("certificate", error.Message, StringComparison.OrdinalIgnoreCase);
    }

    [PostgreSqlFact]
    public async Task A_server_that_requires_encryption_refuses_an_unencrypted_reader_at_once()
    {
        var journal = await server.JournalAsync();
        var error = await RefusedAsync($"{journal.ReaderConnectionString};SSL Mode=Disable");
        Assert.Contains("no encryption", error.Message, StringComparison.Ordinal);
    }

    [PostgreSqlFact]
    public async Task A_reader_that_requires_encryption_refuses_a_server_without_it_at_once()
    {
        await using var journal = (PostgreSqlJournalUnderTest)await host.NewJournalAsync();
        var error = await RefusedAsync($"{journal.ReaderConnectionString};SSL Mode=Require");
        Assert.Contains("SSL connection requested", error.Message, StringComparison.Ordinal);
    }

    [PostgreSqlFact]
    public async Task A_reader_presents_its_client_certificate()
    {
        var journal = await server.JournalAsync();
        await journal.ExecuteAsync($"DROP ROLE IF EXISTS {PostgreSqlTls.CertifiedUser}; CREATE ROLE {PostgreSqlTls.CertifiedUser} LOGIN IN ROLE {PostgreSqlServer.Reader}");
        var certified = new NpgsqlConnectionStringBuilder(Verified(journal)) { Username = PostgreSqlTls.CertifiedUser, Password = null };
        (certified.SslCertificate, certified.SslKey) = server.ClientFiles(PostgreSqlTls.CertifiedUser);
        await using (var reader = PostgreSqlJournal.OpenReader(certified.ConnectionString))
            await ReadAsync(reader);

        (certified.SslCertificate, certified.SslKey) = server.ClientFiles("client");
        var error = await RefusedAsync(certified.ConnectionString);
        Assert.Contains("certificate", error.Message, StringComparison.OrdinalIgnoreCase);
    }

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task A_data_source_uses_its_own_verification()
    {
        var journal = await server.JournalAsync();
        var seen = 0;
        await using var trusting = Source(journal, (_, certificate, _, _) => IsOfOurs(certificate, ref seen));
        await using (var reader = PostgreSqlJournal.OpenReader(trusting))
            await ReadAsync(reader);
        Assert.True(seen > 0);

        await using var refusing = Source(journal, (_, _, _, _) => false);
        await using var refused = PostgreSqlJournal.OpenReader(refusing);
        await Assert.ThrowsAsync<JournalException>(() => ReadAsync(refused).WithinAsync("the refusal"));
    }

    private static NpgsqlDataSource Source(PostgreSqlJournalUnderTest journal, RemoteCertificateValidationCallback verify)
    {
        var builder = new NpgsqlDataSourceBuilder($"{journal.ReaderConnectionString};SSL Mode=Require");
        builder.UseSslClientAuthenticationOptionsCallback(options => options.RemoteCertificateValidationCallback = verify);
        return builder.Build();
    }

    private bool IsOfOurs(X509Certificate? certificate, ref int seen)
    {
        Interlocked.Increment(ref seen);
        return certificate?.Issuer == server.Root.Subject;
    }

    private string Verified(PostgreSqlJournalUnderTest journal) =>
        $"{journal.ReaderConnectionString};SSL Mode=VerifyFull;Root Certificate={server.RootFile};Application Name=throttled";

    private static string Sessions(string which) =>
        "SELECT count(*) FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid) "
        + $"WHERE a.datname = current_database() AND a.application_name = 'throttled' AND ({which})";

    private static async Task ReadAsync(JournalReader reader) =>
        Assert.Equal(["a/1", "a/2", "a/3"], (await reader.CurrentAllEvents().AllAsync()).Texts());

    /// <summary>Reads from a server that refuses, and asserts that the log reports a permanent error.</summary>
    private static async Task<JournalException> RefusedAsync(string connectionString)
    {
        var log = new Recording();
        await using var reader = PostgreSqlJournal.OpenReader(connectionString, new() { LoggerFactory = log });
        var error = await Assert.ThrowsAsync<JournalException>(() => ReadAsync(reader).WithinAsync("the refusal"));
        Assert.Single(log.Ids, id => id == 23);
        return error;
    }
}
