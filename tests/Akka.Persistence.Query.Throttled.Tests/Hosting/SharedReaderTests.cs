using Akka.Hosting;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Persistence.Query.Throttled.Reopening;
using Akka.Persistence.Query.Throttled.Tests.Hosting.Support;
using Microsoft.Extensions.DependencyInjection;

namespace Akka.Persistence.Query.Throttled.Tests.Hosting;

/// <summary>A projection and the streams share one reader.</summary>
public sealed class SharedReaderTests
{
    [Fact]
    public async Task The_reader_service_is_the_reader_of_the_read_journal()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await journal.AppendAsync("a");
        await using var app = await TestApp.StartAsync(
            akka => Both(akka, journal), health => health.Services.AddThrottledJournalReader().AddThrottledJournalReader("orders"));
        var reader = app.Services.GetRequiredService<JournalReader>();
        var orders = app.Services.GetRequiredKeyedService<JournalReader>("orders");
        Assert.Same(app.Journal().Engine, EngineOf(reader));
        Assert.Same(app.Journal("orders").Engine, EngineOf(orders));
        Assert.NotSame(EngineOf(reader), EngineOf(orders));
        Assert.Equal(["a"], (await reader.CurrentAllEvents().AllAsync()).Select(each => each.PersistenceId));
    }

    [Fact]
    public async Task Disposing_the_reader_leaves_the_read_journal_open()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await journal.AppendAsync("a");
        await using var app = await TestApp.StartAsync(akka => Both(akka, journal));
        await app.Journal().Reader.DisposeAsync();
        Assert.Single(await app.FirstAsync(app.Journal().AllEvents(NoOffset.Instance), 1));
    }

    [Fact]
    public async Task Services_with_the_reader_can_be_disposed_synchronously_and_leave_the_read_journal_open()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await journal.AppendAsync("a");
        await using var app = await TestApp.StartAsync(akka => Both(akka, journal));
        using (var services = new ServiceCollection().AddSingleton(app.System).AddThrottledJournalReader().AddThrottledJournalReader("orders").BuildServiceProvider())
        {
            services.GetRequiredService<JournalReader>();
            services.GetRequiredKeyedService<JournalReader>("orders");
        }
        Assert.Single(await app.FirstAsync(app.Journal().AllEvents(NoOffset.Instance), 1));
    }

    [Fact]
    public async Task Queries_of_the_reader_fail_when_the_actor_system_has_ended()
    {
        await using var journal = await TestJournal.InSqliteAsync();
        await using var app = await TestApp.StartAsync(akka => Both(akka, journal));
        var reader = app.Journal().Reader;
        await app.System.Terminate().WithinAsync("the system has terminated");
        var error = await Assert.ThrowsAsync<JournalClosedException>(() => reader.AllEvents().AllAsync());
        Assert.Equal($"The read journal '{ThrottledReadJournal.Identifier}' is closed, because its actor system 'app' terminates.", error.Message);
        Assert.IsAssignableFrom<ObjectDisposedException>(error);
    }

    private static JournalEngine EngineOf(JournalReader reader) => ((SupervisedEngine)reader.Journal.Shards.Single()).Engine;

    private static void Both(AkkaConfigurationBuilder akka, TestJournal journal) => akka
        .WithThrottledReadJournal(journal.ConnectionString, "SQLite")
        .WithThrottledReadJournal(journal.ConnectionString, "SQLite", options => options.Identifier = "orders");
}
