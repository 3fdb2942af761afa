using System.Reflection;
using Microsoft.Extensions.Logging;
using Throttled.Testing.Scripted;
using Throttled.Projections.Diagnostics;

namespace Throttled.Projections.Tests.Diagnostics;

public sealed class ProjectionLogTests
{
    [Fact]
    public void Every_message_has_an_id_of_its_own()
    {
        var ids = typeof(ProjectionLog).GetMethods(BindingFlags.Static | BindingFlags.NonPublic)
            .Select(method => method.GetCustomAttribute<LoggerMessageAttribute>()?.EventId).OfType<int>().ToList();
        Assert.NotEmpty(ids);
        Assert.Equal(ids.Distinct(), ids);
    }

    [Fact]
    public void A_lane_is_named_with_its_slices()
    {
        using var log = new RecordedLog();
        log.TakenOver("balances", 3, new(384, 511), "node-2");
        Assert.Equal("Lane 3 of balances: runs here now, slices 384-511; the claim of node-2 has expired.", Assert.Single(log.TextsOf(131)));
    }
}
