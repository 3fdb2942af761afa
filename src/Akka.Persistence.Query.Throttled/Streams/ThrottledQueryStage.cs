using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Streams;
using Akka.Streams.Stage;
using Akka.Streams.Supervision;
using Throttled.Journal.Queries;

namespace Akka.Persistence.Query.Throttled.Streams;

/// <summary>
/// Any query as a stream. When it is pulled without a page, it asks the engine for one; each pull decodes one item. It holds no
/// permit, so no permit is lost when it ends.
/// </summary>
/// <param name="open">Opens the query's feed.</param>
/// <param name="decoder">Decodes items.</param>
/// <param name="live">Registers the runs of a live query; null for a query that ends by itself.</param>
internal sealed class ThrottledQueryStage<T, TOut>(
    Func<IPageReader<T>, IFeed<T>> open, IItemDecoder<T, TOut> decoder, LiveStreams? live = null)
    : GraphStage<SourceShape<TOut>>
    where T : class
    where TOut : class
{
    private static readonly Attributes StageName = Attributes.CreateName("throttledQuery");

    public override SourceShape<TOut> Shape { get; } = new(new("throttledQuery.out"));

    internal Func<IPageReader<T>, IFeed<T>> Open => open;

    internal IItemDecoder<T, TOut> Decoder => decoder;

    internal LiveStreams? Live => live;

    protected override Attributes InitialAttributes => StageName;

    protected override GraphStageLogic CreateLogic(Attributes inheritedAttributes) => new QueryLogic<T, TOut>(
        this, inheritedAttributes.GetAttribute<ActorAttributes.SupervisionStrategy>(null!)?.Decider ?? Deciders.StoppingDecider);
}
