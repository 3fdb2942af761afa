using Akka.Persistence.Query;
using Akka.Streams;
using Akka.Streams.Stage;

namespace CrushTest.Actors;

/// <summary>The smallest possible live query: it delivers some envelopes, then stays open and delivers nothing.</summary>
internal sealed class CountingStage(EventEnvelope[] envelopes) : GraphStage<SourceShape<EventEnvelope>>
{
    /// <summary>The persistence id that all streams share.</summary>
    internal const string Id = "";

    private readonly Outlet<EventEnvelope> _out = new("counting.out");

    public override SourceShape<EventEnvelope> Shape => new(_out);

    internal static EventEnvelope[] Envelopes(int count) =>
        [.. Enumerable.Range(1, count).Select(static number => new EventEnvelope(new Sequence(number), Id, number, number, 0, []))];

    protected override GraphStageLogic CreateLogic(Attributes inheritedAttributes) => new Logic(Shape, envelopes);

    private sealed class Logic : OutGraphStageLogic
    {
        private readonly Outlet<EventEnvelope> _out;
        private readonly EventEnvelope[] _envelopes;
        private int _given;

        internal Logic(SourceShape<EventEnvelope> shape, EventEnvelope[] envelopes)
            : base(shape)
        {
            (_out, _envelopes) = (shape.Outlet, envelopes);
            SetHandler(_out, this);
        }

        public override void OnPull()
        {
            if (_given < _envelopes.Length)
                Push(_out, _envelopes[_given++]);
        }
    }
}
