using System.Data.Common;
using System.Data.SqlTypes;
using System.Globalization;
using System.Net.Sockets;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Database;

namespace Throttled.Journal.SqlServer.Tests;

public class FaultTests
{
    // A statement that finds its connection in use fails soon.
    private const string OfOne = ";Max Pool Size=1;Connect Timeout=2";

    [Theory]
    // Errors of the driver have class 20, and on Linux often no number.
    [InlineData(0, 20, nameof(FaultKind.ConnectionLost))]
    [InlineData(-1, 20, nameof(FaultKind.ConnectionLost))]
    [InlineData(20, 20, nameof(FaultKind.ConnectionLost))]
    [InlineData(53, 20, nameof(FaultKind.ConnectionLost))]
    [InlineData(64, 20, nameof(FaultKind.ConnectionLost))]
    [InlineData(121, 20, nameof(FaultKind.ConnectionLost))]
    [InlineData(233, 20, nameof(FaultKind.ConnectionLost))]
    [InlineData(10053, 20, nameof(FaultKind.ConnectionLost))]
    [InlineData(10054, 20, nameof(FaultKind.ConnectionLost))]
    [InlineData(10060, 20, nameof(FaultKind.ConnectionLost))]
    [InlineData(11001, 20, nameof(FaultKind.ConnectionLost))]
    // In a statement the same numbers mean something else.
    [InlineData(121, 15, nameof(FaultKind.Fatal))]
    [InlineData(233, 16, nameof(FaultKind.Fatal))]
    [InlineData(232, 20, nameof(FaultKind.ConnectionLost))]
    [InlineData(232, 16, nameof(FaultKind.Unreadable))]
    // Errors of Windows about a certificate, and about a domain that cannot be reached for a login.
    [InlineData(-2146893019, 20, nameof(FaultKind.Fatal))]
    [InlineData(-2146893022, 20, nameof(FaultKind.Fatal))]
    [InlineData(-2146893016, 20, nameof(FaultKind.Fatal))]
    [InlineData(-2146893039, 20, nameof(FaultKind.ConnectionLost))]
    // Killed, shut down, not up.
    [InlineData(596, 21, nameof(FaultKind.ConnectionLost))]
    [InlineData(6005, 10, nameof(FaultKind.ConnectionLost))]
    [InlineData(17142, 14, nameof(FaultKind.ConnectionLost))]
    [InlineData(17187, 16, nameof(FaultKind.ConnectionLost))]
    [InlineData(18401, 14, nameof(FaultKind.ConnectionLost))]
    [InlineData(615, 21, nameof(FaultKind.ConnectionLost))]
    [InlineData(913, 22, nameof(FaultKind.ConnectionLost))]
    [InlineData(921, 14, nameof(FaultKind.ConnectionLost))]
    [InlineData(927, 14, nameof(FaultKind.ConnectionLost))]
    [InlineData(942, 14, nameof(FaultKind.ConnectionLost))]
    [InlineData(945, 14, nameof(FaultKind.ConnectionLost))]
    [InlineData(952, 16, nameof(FaultKind.ConnectionLost))]
    [InlineData(976, 14, nameof(FaultKind.ConnectionLost))]
    [InlineData(983, 14, nameof(FaultKind.ConnectionLost))]
    [InlineData(4060, 11, nameof(FaultKind.ConnectionLost))]
    [InlineData(40197, 17, nameof(FaultKind.ConnectionLost))]
    [InlineData(40501, 20, nameof(FaultKind.ConnectionLost))]
    [InlineData(40501, 17, nameof(FaultKind.ConnectionLost))]
    [InlineData(40613, 17, nameof(FaultKind.ConnectionLost))]
    [InlineData(49918, 16, nameof(FaultKind.ConnectionLost))]
    // Limits.
    [InlineData(17809, 20, nameof(FaultKind.TooManyConnections))]
    [InlineData(10928, 20, nameof(FaultKind.TooManyConnections))]
    [InlineData(10929, 16, nameof(FaultKind.TooManyConnections))]
    [InlineData(10936, 16, nameof(FaultKind.TooManyConnections))]
    // Transient.
    [InlineData(1204, 19, nameof(FaultKind.Transient))]
    [InlineData(1205, 13, nameof(FaultKind.Transient))]
    [InlineData(1222, 16, nameof(FaultKind.Transient))]
    [InlineData(701, 17, nameof(FaultKind.Transient))]
    [InlineData(8645, 17, nameof(FaultKind.Transient))]
    [InlineData(3960, 16, nameof(FaultKind.Transient))]
    [InlineData(3961, 16, nameof(FaultKind.Transient))]
    [InlineData(3948, 16, nameof(FaultKind.Transient))]
    [InlineData(601, 12, nameof(FaultKind.Transient))]
    [InlineData(2801, 16, nameof(FaultKind.Transient))]
    [InlineData(3980, 16, nameof(FaultKind.Transient))]
    [InlineData(40553, 16, nameof(FaultKind.Transient))]
    [InlineData(0, 11, nameof(FaultKind.Transient))]
    // Timed out.
    [InlineData(-2, 11, nameof(FaultKind.TimedOut))]
    [InlineData(8649, 17, nameof(FaultKind.TimedOut))]
    // Missing.
    [InlineData(208, 16, nameof(FaultKind.MissingTable))]
    [InlineData(2714, 16, nameof(FaultKind.Fatal))]
    // Refused.
    [InlineData(18456, 14, nameof(FaultKind.Fatal))]
    [InlineData(18488, 14, nameof(FaultKind.Fatal))]
    [InlineData(229, 14, nameof(FaultKind.Fatal))]
    [InlineData(916, 14, nameof(FaultKind.Fatal))]
    [InlineData(207, 16, nameof(FaultKind.Fatal))]
    [InlineData(102, 15, nameof(FaultKind.Fatal))]
    [InlineData(40615, 14, nameof(FaultKind.Fatal))]
    // Unreadable rows.
    [InlineData(245, 16, nameof(FaultKind.Unreadable))]
    [InlineData(8152, 16, nameof(FaultKind.Unreadable))]
    [InlineData(13609, 16, nameof(FaultKind.Unreadable))]
    [InlineData(605, 21, nameof(FaultKind.Unreadable))]
    [InlineData(823, 24, nameof(FaultKind.Unreadable))]
    [InlineData(824, 24, nameof(FaultKind.Unreadable))]
    [InlineData(3624, 20, nameof(FaultKind.Unreadable))]
    // Unknown numbers.
    [InlineData(99999, 16, nameof(FaultKind.Fatal))]
    [InlineData(99999, 17, nameof(FaultKind.Transient))]
    [InlineData(99999, 18, nameof(FaultKind.Unreadable))]
    [InlineData(99999, 21, nameof(FaultKind.ConnectionLost))]
    [InlineData(99999, 22, nameof(FaultKind.Unreadable))]
    [InlineData(99999, 25, nameof(FaultKind.ConnectionLost))]
    public void Each_number_has_its_fault_kind(int number, int severity, string kind) =>
        Assert.Equal(kind, SqlServerFaults.OfNumber(number, (byte)severity).ToString());

    [Fact]
    public async Task Queries_wait_for_a_database_that_cannot_be_opened_and_the_reason_has_the_remedy()
    {
        var error = await RefusedAsync((4060, 11, "Cannot open database \"app\" requested by the login. The login failed."), (18456, 14, "Login failed for user 'a'."));
        Assert.Equal(FaultKind.ConnectionLost, SqlServerFaults.Classify(error));
        Assert.StartsWith("4060: Cannot open database \"app\" requested by the login. The login failed. ", SqlServerFaults.ReasonOf(error), StringComparison.Ordinal);
        Assert.Contains("reader-sqlserver.sql", SqlServerFaults.ReasonOf(error), StringComparison.Ordinal);
        Assert.True(SqlServerFaults.IsServersOwn(error));
    }

    [Fact]
    public async Task A_refused_login_is_reported_with_its_number()
    {
        var error = await RefusedAsync((18456, 14, "Login failed for user 'a'."));
        Assert.Equal(FaultKind.Fatal, SqlServerFaults.Classify(error));
        Assert.Equal("18456: Login failed for user 'a'. Correct 'User ID' or 'Password' in the connection string.", SqlServerFaults.ReasonOf(error));
    }

    [Fact]
    public async Task The_first_known_error_of_several_counts()
    {
        var error = await RefusedAsync((99999, 16, "Nobody knows."), (1205, 13, "Deadlocked."), (245, 16, "Not a number."));
        Assert.Equal(FaultKind.Transient, SqlServerFaults.Classify(error));
        Assert.Equal("1205: Deadlocked.", SqlServerFaults.ReasonOf(error));
        Assert.Equal(FaultKind.Fatal, SqlServerFaults.Classify(await RefusedAsync((0, 11, "A severe error occurred."), (99999, 16, "Nobody knows."))));
    }

    [Fact]
    public async Task A_killed_session_is_a_lost_connection_and_has_ended_on_the_server()
    {
        var error = await RefusedAsync((596, 21, "The session is in the kill state."), (0, 20, "A severe error occurred."));
        Assert.Equal(FaultKind.ConnectionLost, SqlServerFaults.Classify(error));
        Assert.True(SqlServerFaults.IsServersOwn(error));
    }

    [Fact]
    public async Task A_damaged_page_is_an_unreadable_row_though_it_ends_the_session()
    {
        var error = await RefusedAsync((824, 24, "Incorrect checksum."), (0, 20, "A severe error occurred."));
        Assert.Equal(FaultKind.Unreadable, SqlServerFaults.Classify(error));
        Assert.True(SqlServerFaults.IsServersOwn(error));
        Assert.False(SqlServerFaults.IsCancelled(await RefusedAsync((824, 24, "Incorrect checksum."))));
    }

    [Fact]
    public async Task A_missing_right_is_reported_with_the_grants()
    {
        var error = await RefusedAsync((229, 14, "The SELECT permission was denied on the object 'journal', database 'app', schema 'dbo'."));
        Assert.Equal(FaultKind.Fatal, SqlServerFaults.Classify(error));
        Assert.Equal(
            "229: The SELECT permission was denied on the object 'journal', database 'app', schema 'dbo'. "
                + "Grant the reader's user SELECT on the journal and on the tag table (reader-sqlserver.sql of the documentation).",
            SqlServerFaults.ReasonOf(new SessionBrokenException(new BrokenSession("1", TimeSpan.Zero), error)));
    }

    [Fact]
    public async Task Queries_wait_for_a_missing_server()
    {
        int port;
        using (var listener = new TcpListener(System.Net.IPAddress.Loopback, 0))
        {
            listener.Start();
            port = ((System.Net.IPEndPoint)listener.LocalEndpoint).Port;
        }
        var error = await OpeningAsync($"Server=127.0.0.1,{port.ToString(CultureInfo.InvariantCulture)};User ID=a;Password=b;Encrypt=Optional;Connect Timeout=1;Connect Retry Count=0");
        Assert.Equal(FaultKind.ConnectionLost, SqlServerFaults.Classify(error));
        Assert.False(SqlServerFaults.IsServersOwn(error));
    }

    [Fact]
    public async Task A_silent_server_is_a_lost_connection_and_not_a_statement_time_out()
    {
        using var server = LoginServer.Silent();
        var error = await OpeningAsync(server.ConnectionString);
        Assert.Equal(-2, Assert.IsType<SqlException>(error).Number);
        Assert.Equal(FaultKind.ConnectionLost, SqlServerFaults.Classify(error));
    }

    [Fact]
    public async Task An_untrusted_server_fails_at_once_with_the_reason()
    {
        using var server = LoginServer.Refusing();
        var error = await OpeningAsync(server.ConnectionString.Replace("Encrypt=Optional", "Encrypt=Strict", StringComparison.Ordinal));
        Assert.Equal(FaultKind.Fatal, SqlServerFaults.Classify(error));
        Assert.EndsWith($"{error.InnerException!.Message}", SqlServerFaults.ReasonOf(error), StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_exhausted_pool_counts_as_too_many_connections()
    {
        using var server = LoginServer.Open();
        await using var own = SqlClientFactory.Instance.CreateDataSource(server.ConnectionString + OfOne);
        await using var connection = await OpenedAsync(own);
        var error = await FailedAsync(SqlServerSource.Of(own));
        Assert.Equal(FaultKind.TooManyConnections, SqlServerFaults.Classify(error));
        Assert.StartsWith("'Max Pool Size' is 1. Timeout expired.", SqlServerFaults.ReasonOf(error), StringComparison.Ordinal);
        SqlConnection.ClearPool(connection);
    }

    // The driver's messages are in the language of the process.
    [Fact]
    public async Task Connection_failures_are_classified_in_every_language()
    {
        CultureInfo.CurrentUICulture = CultureInfo.GetCultureInfo("de");
        using var silent = LoginServer.Silent();
        Assert.Equal(FaultKind.ConnectionLost, SqlServerFaults.Classify(await FailedAsync(SqlServerSource.Parse(silent.ConnectionString))));

        using var open = LoginServer.Open();
        await using var own = SqlClientFactory.Instance.CreateDataSource(open.ConnectionString + OfOne);
        await using var connection = await OpenedAsync(own);
        Assert.Equal(FaultKind.TooManyConnections, SqlServerFaults.Classify(await FailedAsync(SqlServerSource.Of(own))));
        SqlConnection.ClearPool(connection);
        Assert.Equal("de", CultureInfo.CurrentUICulture.Name);
    }

    [Fact]
    public async Task An_authentication_that_the_driver_lacks_fails_at_once_with_the_remedy()
    {
        using var server = LoginServer.AskingForTokens();
        var error = await FailedAsync(SqlServerSource.Parse(server.ConnectionString.Replace("User ID=a;Password=b", "Authentication=Active Directory Default", StringComparison.Ordinal)));
        Assert.Equal(FaultKind.Fatal, SqlServerFaults.Classify(error));
        Assert.Contains("Microsoft.Data.SqlClient.Extensions.Azure", SqlServerFaults.ReasonOf(error), StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_cancelled_statement_is_recognised_by_its_number_or_type()
    {
        Assert.True(SqlServerFaults.IsCancelled(new TaskCanceledException()));
        Assert.True(SqlServerFaults.IsCancelled(await RefusedAsync((0, 11, "Operation cancelled by user."))));
        Assert.False(SqlServerFaults.IsCancelled(await RefusedAsync((1205, 13, "Deadlocked."))));
        Assert.False(SqlServerFaults.IsCancelled(new TimeoutException()));
    }

    [Fact]
    public void Exceptions_of_the_engine_and_the_runtime_are_classified()
    {
        Assert.Equal(FaultKind.ConnectionLost, SqlServerFaults.Classify(new SessionBrokenException(new BrokenSession("1", TimeSpan.Zero), new FormatException())));
        Assert.Equal(FaultKind.ConnectionLost, SqlServerFaults.Classify(new ObjectDisposedException("connection")));
        Assert.Equal(FaultKind.ConnectionLost, SqlServerFaults.Classify(new IOException()));
        Assert.Equal(FaultKind.ConnectionLost, SqlServerFaults.Classify(new SocketException()));
        Assert.Equal(FaultKind.TimedOut, SqlServerFaults.Classify(new TimeoutException()));
        Assert.Equal(FaultKind.MissingTable, SqlServerFaults.Classify(new TagTablePendingException("tags", new FormatException())));
        Assert.Equal(FaultKind.MissingTable, SqlServerFaults.Classify(new ShardMarkPendingException("journal", new ShardIdentity(ShardMap.Even(2), 1))));
        Assert.Equal(FaultKind.Unreadable, SqlServerFaults.Classify(new SqlNullValueException()));
        Assert.Equal(FaultKind.Unreadable, SqlServerFaults.Classify(new InvalidCastException()));
        Assert.Equal(FaultKind.Unreadable, SqlServerFaults.Classify(new ArgumentException("value")));
        Assert.Equal(FaultKind.Fatal, SqlServerFaults.Classify(new NotSupportedException()));
    }

    private static async Task<Exception> RefusedAsync(params (int Number, byte Severity, string Text)[] errors)
    {
        using var server = LoginServer.Refusing(errors);
        return await OpeningAsync(server.ConnectionString + ";Pooling=false");
    }

    private static Task<Exception> FailedAsync(SqlServerSource source) => Assert.ThrowsAnyAsync<Exception>(() => source.OpenAsync(default));

    // The time-out is short, because a full pool waits for it.
    private static async Task<SqlConnection> OpenedAsync(DbDataSource source)
    {
        SqlConnection? connection = null;
        await Wait.UntilAsync(
            async () =>
            {
                try
                {
                    connection = (SqlConnection)await source.OpenConnectionAsync();
                }
                catch (SqlException)
                {
                    // A busy machine did not answer in time.
                }
                return connection is not null;
            },
            () => "a connection");
        return connection!;
    }

    private static async Task<Exception> OpeningAsync(string connectionString)
    {
        await using var connection = new SqlConnection(connectionString);
        return await Assert.ThrowsAnyAsync<Exception>(() => connection.OpenAsync());
    }
}
