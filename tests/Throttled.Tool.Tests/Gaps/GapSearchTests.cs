using Throttled.Journal.Rows;
using Throttled.Testing.Scripted;
using Throttled.Tool.Gaps;

namespace Throttled.Tool.Tests.Gaps;

/// <summary>The search, while writers append and commit between its statements.</summary>
public sealed class GapSearchTests
{
    // The ordering of a transaction that is open when the search begins, among the ten that are searched.
    private const long Late = 11;

    [Fact]
    public void Neither_a_commit_nor_an_append_at_any_time_makes_a_gap_that_is_none()
    {
        var (open, most) = Search(int.MaxValue, int.MaxValue);
        Assert.Equal(new OrderingRange(Late, Late), Assert.Single(open.Gaps));
        Assert.Single(open.OpenTransactions!);
        for (var commit = 0; commit <= most; commit++)
        {
            for (var append = 0; append <= most; append++)
            {
                var (view, _) = Search(commit, append);
                var place = $"commit before step {commit}, append before step {append}: {string.Join(", ", view.Gaps)}; open: {view.OpenTransactions?.Count}";
                Assert.True(view.Gaps.All(gap => gap == new OrderingRange(Late, Late)), place);
                Assert.True(view.Gaps.Count == 0 || view.OpenTransactions is { Count: 1 }, place);
            }
        }
    }

    /// <returns>What the search found, and the number of its steps.</returns>
    private static (JournalView View, int Steps) Search(int commit, int append)
    {
        ScriptedCall.ContinueInPlace();
        var journal = new ScriptedJournal();
        var database = new ScriptedDatabase(journal, new FakeClock());
        journal.Append("a", 1, Late - 1);
        var transaction = journal.Begin();
        transaction.Add("b", 1);
        journal.Append("a", Late, 15);
        var search = new GapSearch(database, orderings: 10).ReadAsync(CancellationToken.None);
        var steps = 0;
        for (; !search.IsCompleted; steps++)
        {
            if (steps == commit)
            {
                transaction.Commit();
                journal.LetGo(transaction);
            }
            if (steps == append)
                journal.Append("a", 16, 18);
            database.Step(database.Pending[0]);
        }
        return (search.GetAwaiter().GetResult(), steps);
    }
}
