using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Streams;
using Akka.Streams.Stage;
using Akka.Streams.Supervision;
using Throttled.Journal.Queries;

namespace Akka.Persistence.Query.Throttled.Streams;

/// <summary>
/// Any query as a stream. It asks the engine for a page when it is pulled and has none, and decodes one item for each pull; it holds no
/// permit, so that however it ends no permit is lost.
/// </summary>
/// <param name="open">Opens the query's feed.</param>
/// <param name="decoder">Makes what is delivered.</param>
/// <param name="explain">Says of a failure of the engine what the stream fails with.</param>
internal sealed class ThrottledQueryStage<T, TOut>(
    Func<IPageReader<T>, IFeed<T>> open, IItemDecoder<T, TOut> decoder, Func<Exception, Exception> explain) : GraphStage<SourceShape<TOut>>
    where T : class
    where TOut : class
{
    private static readonly Attributes StageName = Attributes.CreateName("throttledQuery");

    public override SourceShape<TOut> Shape { get; } = new(new("throttledQuery.out"));

    internal Func<IPageReader<T>, IFeed<T>> Open => open;

    internal IItemDecoder<T, TOut> Decoder => decoder;

    internal Func<Exception, Exception> Explain => explain;

    protected override Attributes InitialAttributes => StageName;

    protected override GraphStageLogic CreateLogic(Attributes inheritedAttributes) => new QueryLogic<T, TOut>(
        this, inheritedAttributes.GetAttribute<ActorAttributes.SupervisionStrategy>(null!)?.Decider ?? Deciders.StoppingDecider);
}
