using System.Data;
using System.Data.Common;
using Akka.Persistence.Query.Throttled.Hosting.Configuration;
using LinqToDB.Interceptors;
using Microsoft.Data.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

/// <summary>Connections are opened like linq2db opens them.</summary>
public sealed class DataOptionsSourceTests : IDisposable
{
    private readonly SqliteConnection _connection = new("Data Source=:memory:");
    private readonly Hook _hook = new();

    [Fact]
    public async Task A_connection_that_an_interceptor_refuses_after_opening_is_closed()
    {
        _hook.Error = new InvalidOperationException("Not this one.");
        Assert.Same(_hook.Error, await Assert.ThrowsAsync<InvalidOperationException>(async () => await Source().OpenConnectionAsync()));
        Assert.Equal(ConnectionState.Closed, _connection.State);
    }

    [Fact]
    public async Task A_connection_that_the_factory_has_opened_is_used_unchanged()
    {
        await _connection.OpenAsync();
        Assert.Same(_connection, await Source().OpenConnectionAsync());
        Assert.Empty(_hook.Called);
    }

    [Fact]
    public async Task Interceptors_are_called_before_and_after_the_opening()
    {
        Assert.Same(_connection, await Source().OpenConnectionAsync());
        Assert.Equal([ConnectionState.Closed, ConnectionState.Open], _hook.Called);
    }

    public void Dispose() => _connection.Dispose();

    private DataOptionsSource Source() => new(() => _connection, [_hook]);

    /// <summary>Remembers the state of the connection at each call.</summary>
    private sealed class Hook : ConnectionInterceptor
    {
        internal Exception? Error { get; set; }

        internal List<ConnectionState> Called { get; } = [];

        public override Task ConnectionOpeningAsync(ConnectionEventData eventData, DbConnection connection, CancellationToken cancellationToken)
        {
            Called.Add(connection.State);
            return Task.CompletedTask;
        }

        public override Task ConnectionOpenedAsync(ConnectionEventData eventData, DbConnection connection, CancellationToken cancellationToken)
        {
            Called.Add(connection.State);
            return Error is { } error ? Task.FromException(error) : Task.CompletedTask;
        }
    }
}
