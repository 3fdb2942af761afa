using Throttled.Projections.Lanes;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Lanes;

public sealed class PendingCommandsTests
{
    private readonly PendingCommands _pending = new();

    [Fact]
    public void A_newer_list_decides_what_comes_next()
    {
        Assert.True(_pending.Replace([Command(1), Command(2)]));
        Assert.Equal(1, _pending.Next?.Id);
        // The first was withdrawn, and an urgent one was given.
        Assert.False(_pending.Replace([Command(3), Command(2)]));
        Assert.Equal(3, _pending.Next?.Id);
    }

    [Fact]
    public void A_list_from_before_the_end_of_a_command_does_not_bring_it_back()
    {
        _pending.Replace([Command(1)]);
        _pending.Over(Command(1));
        Assert.Null(_pending.Next);
        Assert.False(_pending.HasMore());
        Assert.False(_pending.Replace([Command(1)]));
        Assert.Null(_pending.Next);
        Assert.True(_pending.Replace([Command(1), Command(2)]));
        Assert.Equal(2, _pending.Next?.Id);
    }

    [Fact]
    public void The_lane_is_told_once_until_it_has_looked()
    {
        Assert.False(_pending.Replace([]));
        Assert.True(_pending.Replace([Command(1)]));
        Assert.False(_pending.Replace([Command(1), Command(2)]));
        Assert.True(_pending.HasMore());
        Assert.False(_pending.Replace([Command(1)]));
        _pending.Over(Command(1));
        Assert.False(_pending.HasMore());
        Assert.True(_pending.Replace([Command(2)]));
    }

    private static CommandRow Command(long id) => new(id, "balances", CommandVerb.Retry) { PersistenceId = "a" };
}
