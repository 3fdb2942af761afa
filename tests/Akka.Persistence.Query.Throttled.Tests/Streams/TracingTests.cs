using System.Diagnostics;
using Akka.Persistence.Query.Throttled.Tests.Envelopes;
using Akka.Streams.Dsl;
using Akka.Streams.Implementation;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>If Akka.Streams traces, the elements of a stream belong to the trace in which the stream was started.</summary>
public sealed class TracingTests : EnvelopeKit
{
    [Theory]
    [MemberData(nameof(AllQueries))]
    public async Task Events_are_handled_in_the_activity_that_started_the_stream(string query)
    {
        using var listener = Listen();
        await AppendAsync([.. Enumerable.Range(1, 4).Select(number => Stored(number, new Kept(number)))]);
        var journal = Open("max-buffer-size = 2");
        using var one = new Activity("one").Start();
        var ofOne = HandledAsync(journal, query);
        using var other = new Activity("other").SetParentId(ActivityTraceId.CreateRandom(), ActivitySpanId.CreateRandom()).Start();
        var ofOther = HandledAsync(journal, query);
        Activity.Current = null;
        var ofNoActivity = HandledAsync(journal, query);

        Assert.Equal(Enumerable.Repeat((one.TraceId.ToString(), one.SpanId.ToString()), 4), await ofOne);
        Assert.Equal(Enumerable.Repeat((other.TraceId.ToString(), other.SpanId.ToString()), 4), await ofOther);
        Assert.Equal(Enumerable.Repeat(("", ""), 4), await ofNoActivity);
    }

    [Fact]
    public async Task Events_after_that_activity_has_stopped_belong_to_no_activity()
    {
        using var listener = Listen();
        await AppendAsync(Stored(1, new Kept(1)));
        var journal = Open();
        var one = new Activity("one").Start();
        var first = new TaskCompletionSource();
        var run = journal.AllEvents(Offset.NoOffset()).Select(each =>
        {
            first.TrySetResult();
            return Seen();
        }).Take(2).RunWith(Sink.Seq<(string, string)>(), Materializer);
        await first.Task.WithinAsync("the first event");
        one.Stop();
        await AppendAsync(Stored(2, new Kept(2)));
        Assert.Equal([(one.TraceId.ToString(), one.SpanId.ToString()), ("", "")], await run.WithinAsync("two events"));
    }

    private static ActivityListener Listen()
    {
        var listener = new ActivityListener
        {
            ShouldListenTo = source => source.Name == StreamsDiagnostics.ActivitySourceName,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllDataAndRecorded,
        };
        ActivitySource.AddActivityListener(listener);
        return listener;
    }

    private async Task<IReadOnlyList<(string Trace, string Parent)>> HandledAsync(ThrottledReadJournal journal, string query) =>
        await Query(journal, query).Select(_ => Seen()).Take(4).RunWith(Sink.Seq<(string, string)>(), Materializer).WithinAsync("four events");

    // The stage's activity, which Akka.Streams started as a child of the element's.
    private static (string Trace, string Parent) Seen() =>
        Activity.Current is { } stage ? (stage.TraceId.ToString(), stage.ParentSpanId.ToString()) : ("", "");
}
