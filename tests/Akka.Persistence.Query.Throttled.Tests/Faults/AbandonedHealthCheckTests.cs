using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Faults;

/// <summary>Runs alone, because unobserved exceptions are reported for the whole process.</summary>
[Collection(AloneCollection.Name)]
public sealed class AbandonedHealthCheckTests
{
    // Some checks may fail before they are cancelled, but not all of them.
    private const int Checks = 1_000;

    [Fact]
    public async Task An_abandoned_health_check_that_fails_later_raises_no_unobserved_exception()
    {
        using var unobserved = new Unobserved();
        using var file = new JournalFile();
        var reader = SqliteJournal.OpenReader(file.ConnectionString);
        await reader.DisposeAsync();
        Assert.InRange(await AbandonAsync(reader.Engine), 1, Checks);
        unobserved.AreNone();
    }

    private static async Task<int> AbandonAsync(JournalEngine engine)
    {
        var abandoned = 0;
        for (var i = 0; i < Checks; i++)
        {
            if (await Record.ExceptionAsync(() => engine.CheckHealthAsync(new(canceled: true))) is OperationCanceledException)
                abandoned++;
        }
        // This is the last check, so all others have failed by now.
        await Assert.ThrowsAsync<ObjectDisposedException>(() => engine.CheckHealthAsync(default).WithinAsync("the last check"));
        return abandoned;
    }
}
