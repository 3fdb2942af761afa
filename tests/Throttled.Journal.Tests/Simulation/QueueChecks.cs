using Throttled.Journal.Loop;
using Throttled.Journal.Pages;
using Throttled.Journal.Tail;

namespace Throttled.Simulation;

/// <summary>
/// Each of the two queues is first come, first served. Compares the queues before and after each step of the loop. A request that
/// still waits must not have been overtaken, except by requests that a failed or stopped statement returned.
/// </summary>
internal sealed class QueueChecks(World world, SimulationPlan plan, Coverage coverage)
{
    private readonly PageScheduler _scheduler = world.Engine.Parts().Scheduler;
    private readonly List<PageRequest> _byId = [];
    private readonly List<PageRequest> _singles = [];
    private readonly List<PageRequest> _now = [];
    private readonly Dictionary<PageRequest, long> _served = [];
    private readonly HashSet<PageBatch> _batches = [];
    private readonly HashSet<BatchRun> _runs = [];
    private (bool IsUp, int Epoch) _outage;
    private int _limit;

    internal void Before()
    {
        Copy(_scheduler.ById(), _byId);
        Copy(_scheduler.Singles(), _singles);
        _served.Clear();
        _batches.Clear();
        _limit = world.Permits.Limit;
        _outage = Outage;
        _runs.Clear();
        _runs.UnionWith(_scheduler.Running());
        foreach (var batch in _scheduler.Batches())
        {
            _batches.Add(batch);
            for (var i = 0; i < batch.Size; i++)
            {
                if (batch[i] is { } member)
                    _served.Add(member, member.Turn);
            }
        }
    }

    internal void After()
    {
        if (!_outage.IsUp && _outage == Outage)
            Assert.True(_runs.IsSupersetOf(_scheduler.Running()), "A page statement starts during a known outage.");
        var byId = Started(isById: true);
        var singles = Started(isById: false);
        Copy(_scheduler.ById(), _now);
        CheckQueue(_byId, byId, isShared: false);
        Copy(_scheduler.Singles(), _now);
        var passed = CheckQueue(_singles, singles, isShared: true);
        if (passed)
            CheckTurns(byId.Count, _scheduler.Running().Count(run => !_batches.Contains(run.Batch) && run.Read is not ByIdBatchRead));
    }

    private (bool IsUp, int Epoch) Outage => (world.Engine.Outage().IsAvailable, world.Engine.Outage().Epoch);

    // The list of persistence ids leaves and joins again with its queries, and is always the same request.
    private static void Copy(LinkedQueue<PageRequest> queue, List<PageRequest> list)
    {
        queue.CopyTo(list);
        list.RemoveAll(member => member is PersistenceIdList);
    }

    // First batches of requests that were in no statement before. Retries are in no queue.
    private List<PageBatch> Started(bool isById) =>
        [.. _scheduler.Running().Select(run => run.Batch).Where(batch =>
            !_batches.Contains(batch) && batch[0] is { } first and not PersistenceIdList && first is IByIdPageRequest == isById && !_served.ContainsKey(first))];

    private bool CheckQueue(List<PageRequest> before, List<PageBatch> started, bool isShared)
    {
        for (var i = 1; i < _now.Count; i++)
            Assert.True(_now[i - 1].Since <= _now[i].Since && _now[i - 1].Turn < _now[i].Turn, "A later request stands before an earlier one.");
        var first = -1;
        var last = -1;
        foreach (var member in _now)
        {
            var index = before.IndexOf(member);
            if (index < 0)
            {
                if (IsReturned(member))
                {
                    coverage.Add("a query goes back into its queue");
                    continue;
                }
                var isBehind = last == before.FindLastIndex(_now.Contains) || _served.ContainsKey(member);
                Assert.True(isBehind, "A later request stands before an earlier one.");
                continue;
            }
            Assert.True(index > last, "A waiting request was overtaken in its queue.");
            last = index;
            first = first < 0 ? index : first;
        }
        if (first >= 0)
            CheckStarted(before, started, first, isShared);
        return first >= 0;
    }

    // A statement ended before its turn, or failed. A request that joins anew has a new turn.
    private bool IsReturned(PageRequest member) => _served.TryGetValue(member, out var turn) && turn == member.Turn;

    // For single statements only the first request counts. Requests that share its statement delay no other.
    private void CheckStarted(List<PageRequest> before, List<PageBatch> started, int first, bool isShared)
    {
        foreach (var batch in started)
        {
            for (var i = 0; i < (isShared ? 1 : batch.Size); i++)
            {
                // A request that was in a statement returns to its place, and may be in the next statement at once.
                if (batch[i] is not { } member || _served.ContainsKey(member))
                    continue;
                var index = before.IndexOf(member);
                Assert.True(index >= 0 && index < first, "A request was served before an earlier one.");
            }
        }
    }

    // While a single statement waits, the queues take turns and statements by id leave it a permit.
    private void CheckTurns(int byId, int singles)
    {
        Assert.True(byId <= singles + 1, "The queue of single statements missed its turn.");
        var most = Math.Max(1, Math.Min(plan.Processors, Math.Max(_limit, world.Permits.Limit) - 1));
        var running = _scheduler.Running().Count(run => run.Batch.Size > 0 && run.Read is ByIdBatchRead);
        // Retries are in no queue, so no permit has to be left for them.
        var areRepeated = _scheduler.Running().Any(run => !_runs.Contains(run) && (_batches.Contains(run.Batch) || (run.Batch[0] is { } first && _served.ContainsKey(first))));
        Assert.True(byId == 0 || areRepeated || running <= most, "The queue of single statements was left no room.");
    }
}
