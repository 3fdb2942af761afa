using Throttled.Faults.World;
using System.Diagnostics;
using Throttled.Journal.PostgreSql.Tests.Contract;
using Throttled.Journal.Sqlite.Tests.Contract;

namespace Throttled.Faults.Bounds;

/// <summary>A reader may leave its query in any state: the query ends at once, nothing is left of it, and other queries are not affected.</summary>
[Collection(AloneCollection.Name)]
public sealed class LeavingTests(PostgreSqlHost postgreSql, SqliteHost sqlite, ITestOutputHelper output)
{
    // Our own thread opens the file of SQLite, so a query cannot be left while it connects.
    public static TheoryData<LeftWhile, LeftBy> OnAll() => InAll([.. Enum.GetValues<LeftWhile>().Where(state => state != LeftWhile.Connecting)]);

    // A database for each case costs more than the test itself; the other cases are long tests.
    public static IEnumerable<object[]> OnPostgreSql(bool isLong) =>
        OnAll().Where(each => IsLong((LeftWhile)each[0], (LeftBy)each[1]) == isLong);

    [PostgreSqlTheory]
    [MemberData(nameof(OnPostgreSql), false)]
    public async Task A_query_that_is_left_on_PostgreSql_leaves_nothing_behind(LeftWhile state, LeftBy by) =>
        await RunAsync(await PostgreSqlTrouble.OnAsync(postgreSql), state, by);

    [PostgreSqlTheory]
    [MemberData(nameof(OnPostgreSql), true)]
    [Trait("Category", "Long")]
    public async Task A_query_that_is_left_in_any_way_on_PostgreSql_leaves_nothing_behind(LeftWhile state, LeftBy by) =>
        await RunAsync(await PostgreSqlTrouble.OnAsync(postgreSql), state, by);

    // The permit is returned when the driver closes the connection: after ten seconds if the server does not answer.
    [PostgreSqlTheory]
    [InlineData(LeftBy.Cancellation)]
    [InlineData(LeftBy.DisposeOfEnumerator)]
    [InlineData(LeftBy.DisposeOfReader)]
    [Trait("Category", "Long")]
    public async Task A_query_that_is_left_while_it_connects_leaves_nothing_behind(LeftBy by) =>
        await RunAsync(await PostgreSqlTrouble.OnAsync(postgreSql), LeftWhile.Connecting, by);

    [Theory]
    [MemberData(nameof(OnAll))]
    public async Task A_query_that_is_left_on_Sqlite_leaves_nothing_behind(LeftWhile state, LeftBy by) =>
        await RunAsync(await SqliteTrouble.OnAsync(sqlite), state, by);

    private static bool IsLong(LeftWhile state, LeftBy by) =>
        by != LeftBy.Cancellation && state is not (LeftWhile.Queued or LeftWhile.Running);

    private static TheoryData<LeftWhile, LeftBy> InAll(LeftWhile[] states)
    {
        var data = new TheoryData<LeftWhile, LeftBy>();
        foreach (var state in states)
        {
            foreach (var by in Enum.GetValues<LeftBy>())
                data.Add(state, by);
        }
        return data;
    }

    private async Task RunAsync(Trouble trouble, LeftWhile state, LeftBy by)
    {
        await using var closing = trouble;
        await using var scene = await LeavingScene.SetAsync(trouble, state);
        var start = Stopwatch.GetTimestamp();

        await scene.LeaveAsync(by);

        // All of this happens during the trouble: nothing waits for the database to recover.
        var ends = await Task.WhenAll(scene.Leavers.Select(leaver => leaver.EndAsync()));
        var ended = Stopwatch.GetElapsedTime(start);
        Assert.All(ends, end => Assert.Equal(Expected(by), end.Failure?.GetType()));
        // A reader may still read the page that it has.
        Assert.All(ends, end => Assert.InRange(end.Items, 0, LeavingScene.Page));
        if (by == LeftBy.DisposeOfReader)
            await scene.NoneGoesOnAsync();
        else
        {
            await scene.NothingIsLeftAsync();
            output.WriteLine($"Ended after {ended.TotalMilliseconds:0} ms; nothing left after {Stopwatch.GetElapsedTime(start).TotalMilliseconds:0} ms.");
            await scene.OthersGoOnAsync();
        }
        Assert.Null(scene.Log.Defect);
    }

    private static Type? Expected(LeftBy by) => by switch
    {
        LeftBy.Cancellation => typeof(OperationCanceledException),
        LeftBy.DisposeOfReader => typeof(ObjectDisposedException),
        _ => null,
    };
}
