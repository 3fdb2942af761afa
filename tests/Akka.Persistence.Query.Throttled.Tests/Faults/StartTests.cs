using Akka.Event;
using Akka.Persistence.Query.Throttled.Tests.Faults.World;
using Akka.Persistence.Query.Throttled.Tests.Journals;
using Throttled.Journal.Sqlite;

namespace Akka.Persistence.Query.Throttled.Tests.Faults;

/// <summary>The streams of a read journal wait if it is opened before its database exists.</summary>
public abstract class StartsOf(int rounds)
{
    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task Streams_started_while_the_server_is_down_deliver_all_when_it_is_up()
    {
        using var server = PostgreSqlServer.Start();
        await using var journal = await ServerJournal.CreateAsync(server);
        await journal.AppendAsync(EveryQuery.NewEvents());
        server.Stop();

        await using var side = ReadSide.Of(journal.Settings());
        List<Task<int>> streams = [.. EveryQuery.Live(side, rounds), .. EveryQuery.Current(side, rounds)];
        await side.Meter.MoreAsync(3, "probe");
        Assert.DoesNotContain(streams, stream => stream.IsCompleted);
        server.Start();

        await AreWholeAsync(streams);
    }

    [PostgreSqlFact]
    public async Task Streams_started_before_the_tables_exist_deliver_their_events_later()
    {
        await using var journal = ServerJournal.Absent(SharedServer.Server);
        await using var side = ReadSide.Of(journal.Settings());
        var streams = EveryQuery.Live(side, rounds);
        await side.Meter.MoreAsync(3, "probe");
        Assert.DoesNotContain(streams, stream => stream.IsCompleted);

        await journal.Appender.CreateAsync();
        await journal.AppendAsync(EveryQuery.NewEvents());

        await AreWholeAsync(streams);
        await LoggedOnceAsync(side, "is not there");
    }

    [Fact]
    public async Task Streams_started_before_the_file_exists_deliver_its_events_later()
    {
        using var file = new JournalFile();
        await using var side = ReadSide.Of(file.Settings());
        var streams = EveryQuery.Live(side, rounds);
        await side.Meter.MoreAsync(3, "probe");
        Assert.DoesNotContain(streams, stream => stream.IsCompleted);
        Assert.False(File.Exists(file.Path), "The reader created the file.");

        await using var appender = SqliteJournal.OpenAppender(file.ConnectionString);
        await appender.CreateAsync();
        await appender.AppendAsync(EveryQuery.NewEvents());

        await AreWholeAsync(streams);
    }

    [Fact]
    public async Task Streams_started_before_the_file_has_a_table_deliver_its_events_later()
    {
        using var file = new JournalFile();
        file.Execute("CREATE TABLE other (x)");
        await using var side = ReadSide.Of(file.Settings());
        var streams = EveryQuery.Live(side, rounds);
        await side.Meter.MoreAsync(3, "probe");
        Assert.DoesNotContain(streams, stream => stream.IsCompleted);

        await using var appender = SqliteJournal.OpenAppender(file.ConnectionString);
        await appender.CreateAsync();
        await appender.AppendAsync(EveryQuery.NewEvents());

        await AreWholeAsync(streams);
        await LoggedOnceAsync(side, "is not there");
    }

    private static async Task AreWholeAsync(List<Task<int>> streams) =>
        Assert.All(await Task.WhenAll(streams).WithinAsync("all events in all streams"), missing => Assert.Equal(0, missing));

    private static async Task LoggedOnceAsync(ReadSide side, string text)
    {
        var logged = side.Log.Where(each => each.LogLevel() >= LogLevel.InfoLevel && $"{each}".Contains(text, StringComparison.Ordinal));
        await Wait.UntilAsync(() => logged.Any(), () => $"\"{text}\" in the log");
        Assert.Single(logged);
    }
}

public sealed class StartTests() : StartsOf(1);

[Trait("Category", "Long")]
public sealed class ManyStartsTests() : StartsOf(LongShare.Of(30));
