using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Throttled.Journal;
using Throttled.Testing;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Faults;

/// <summary>Alone: tasks that nobody looks at are the whole process's.</summary>
[Collection(AloneCollection.Name)]
public sealed class LookTests
{
    // Some may fail before they are given up; of so many, not all do.
    private const int Looks = 1_000;

    [Fact]
    public async Task A_look_that_was_given_up_may_fail_later_without_a_word()
    {
        using var unobserved = new Unobserved();
        using var file = new JournalFile();
        var reader = SqliteJournal.OpenReader(file.ConnectionString);
        await reader.DisposeAsync();
        Assert.InRange(await GiveUpAsync(reader.Engine), 1, Looks);
        unobserved.AreNone();
    }

    private static async Task<int> GiveUpAsync(JournalEngine engine)
    {
        var givenUp = 0;
        for (var i = 0; i < Looks; i++)
        {
            if (await Record.ExceptionAsync(() => engine.CheckHealthAsync(new(canceled: true))) is OperationCanceledException)
                givenUp++;
        }
        // The last of them, so that all others have failed by now.
        await Assert.ThrowsAsync<ObjectDisposedException>(() => engine.CheckHealthAsync(default).WithinAsync("the last look"));
        return givenUp;
    }
}
