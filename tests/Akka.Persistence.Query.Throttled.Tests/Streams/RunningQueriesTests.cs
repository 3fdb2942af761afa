using Akka.Persistence.Query.Throttled.Running;
using Throttled.Journal.Loop;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

public sealed class RunningQueriesTests
{
    [Fact]
    public void The_end_waits_for_all_streams_and_the_completion_for_live_ones()
    {
        var (running, live, other) = (new RunningQueries(), new Stream(isLive: true), new Stream(isLive: false));
        Assert.True(running.Add(live) && running.Add(other));
        var (completed, ended) = (running.CompleteLiveAsync(), running.EndedAsync());
        Assert.True(live.IsCompleted);
        Assert.False(other.IsCompleted || completed.IsCompleted || ended.IsCompleted);

        running.Remove(live);
        Assert.True(completed.IsCompletedSuccessfully);
        Assert.False(ended.IsCompleted);

        running.Remove(other);
        Assert.True(ended.IsCompletedSuccessfully);
    }

    [Fact]
    public void A_live_stream_that_starts_while_live_streams_complete_is_refused_and_another_runs()
    {
        var (running, live, other) = (new RunningQueries(), new Stream(isLive: true), new Stream(isLive: false));
        Assert.True(running.CompleteLiveAsync().IsCompletedSuccessfully);
        Assert.False(running.Add(live));
        Assert.True(running.Add(other));
        var ended = running.EndedAsync();
        running.Remove(live);
        Assert.False(ended.IsCompleted);
        running.Remove(other);
        Assert.True(ended.IsCompletedSuccessfully);
    }

    private sealed class Stream(bool isLive) : IRunningQuery
    {
        public LinkedQueue<IRunningQuery>? Queue { get; set; }

        public IRunningQuery? Previous { get; set; }

        public IRunningQuery? Next { get; set; }

        public bool IsLive => isLive;

        internal bool IsCompleted { get; private set; }

        public void Complete() => IsCompleted = true;
    }
}
