using Throttled.Journal.Pages;
using Throttled.Journal.Sql;

namespace Throttled.Testing.Scripted;

/// <summary>A request that only waits.</summary>
internal abstract class WaitingRequest : PageRequest
{
    internal override bool IsLive => false;

    internal override string Subject => "nothing";

    internal override void Fail(Func<Exception> error)
    {
    }

    internal override void Forget()
    {
    }
}

internal sealed class WaitingById : WaitingRequest, IByIdRequest
{
    public PageAsk Start() => throw new NotSupportedException();

    public void Read(PageRead read)
    {
    }
}

internal sealed class WaitingForIds : WaitingRequest, IIdsRequest
{
    public string? Start() => null;

    public void Read(IdsRead read)
    {
    }
}

internal sealed class WaitingOrdered(EventFilter filter, long position) : WaitingRequest, IOrderedRequest
{
    public EventFilter Filter => filter;

    public long Position => position;

    public int FromEnd => 0;

    public OrderedAsk Start() => throw new NotSupportedException();

    public void Read(OrderedRead read)
    {
    }

    public void Read(FromEndRead read)
    {
    }
}
