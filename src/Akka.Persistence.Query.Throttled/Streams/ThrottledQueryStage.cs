using Akka.Persistence.Query.Throttled.Envelopes;
using Akka.Streams;
using Akka.Streams.Stage;
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
    private readonly Outlet<TOut> _out = new("throttledQuery.out");

    public override SourceShape<TOut> Shape => new(_out);

    protected override Attributes InitialAttributes => StageName;

    protected override GraphStageLogic CreateLogic(Attributes inheritedAttributes) =>
        new QueryLogic<T, TOut>(Shape, open, decoder.OfOneStream(), explain);
}
