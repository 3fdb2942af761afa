using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Reads;

public sealed class WorkerRunTests
{
    [Fact]
    public void Workers_that_compete_stop_and_fail_handle_every_event_once_and_in_order() => Run(60);

    [Fact, Trait("Category", "Long")]
    public void Workers_that_compete_stop_and_fail_handle_every_event_once_and_in_order_for_long() => Run(LongShare.Of(5000));

    private static void Run(int seeds) => Seeds.ForEach(seeds, seed => new WorkerRun(seed), run => run.Run());
}
