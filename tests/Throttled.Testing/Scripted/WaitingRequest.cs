using Throttled.Journal.Pages;
using Throttled.Journal.Rows;

namespace Throttled.Testing.Scripted;

/// <summary>A request that only waits.</summary>
internal abstract class WaitingRequest : PageRequest
{
    internal override bool IsLive => false;

    internal override string Subject => "nothing";

    internal override void Fail(Func<Exception> error)
    {
    }

    internal override void Reclaim()
    {
    }
}

internal sealed class WaitingById : WaitingRequest, IByIdPageRequest
{
    public ByIdRequest CreateRequest() => throw new NotSupportedException();

    public void Accept(ByIdResult result)
    {
    }
}

internal sealed class WaitingForIds : WaitingRequest, IIdsPageRequest
{
    public string? CreateRequest() => null;

    public void Accept(IdsResult result)
    {
    }
}

internal sealed class WaitingOrdered(EventFilter filter, long position) : WaitingRequest, IOrderedPageRequest
{
    public EventFilter Filter => filter;

    public long Position => position;

    public int FromEnd => 0;

    public OrderedRequest CreateRequest() => throw new NotSupportedException();

    public void Accept(OrderedResult result)
    {
    }

    public void Accept(FromEndResult result)
    {
    }
}
