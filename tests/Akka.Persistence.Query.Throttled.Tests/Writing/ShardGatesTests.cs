using Akka.Actor;
using Akka.Persistence.Sharded;
using Throttled.Journal;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>Nothing goes to a shard whose database was not found to be its own, and nobody waits for one that is away.</summary>
public sealed class ShardGatesTests
{
    private static readonly Exception Away = new InvalidOperationException("away");
    private static readonly ShardMarkException Another = ShardMark.Unsharded("journal", new(ShardMap.Even(2), 0));

    private readonly List<string> _done = [];

    [Fact]
    public void Messages_wait_until_every_database_was_looked_at_and_go_in_their_order()
    {
        var gates = Started(true, true);
        Take(gates, 0, "a", "b");
        Take(gates, 1, "c");
        Done("look 0", "look 1");
        gates.Probed(0, null);
        Take(gates, 0, "d");
        Done();
        gates.Probed(1, null);
        Done("open 0", "a to 0", "b to 0", "d to 0", "open 1", "c to 1");
        Take(gates, 0, "e");
        Done("e to 0");
    }

    [Fact]
    public void A_database_that_is_away_fails_its_own_messages_and_the_next_one_has_it_looked_at_again()
    {
        var gates = Started(true, true);
        Take(gates, 0, "a");
        Take(gates, 1, "b", "c");
        gates.Probed(1, Away);
        Done("look 0", "look 1", "b: away", "c: away");
        gates.Probed(0, null);
        Done("open 0", "a to 0");
        Take(gates, 1, "d");
        Take(gates, 1, "e");
        Take(gates, 0, "f");
        Done("look 1", "f to 0");
        gates.Probed(1, Away);
        Take(gates, 1, "g");
        Done("d: away", "e: away", "look 1");
        gates.Probed(1, null);
        Take(gates, 1, "h");
        Done("open 1", "g to 1", "h to 1");
    }

    [Fact]
    public void A_database_that_is_away_and_wanted_by_nobody_is_left_alone()
    {
        var gates = Started(true);
        gates.Probed(0, Away);
        Done("look 0");
    }

    [Fact]
    public void One_database_of_another_map_refuses_all_that_waits_and_all_that_comes()
    {
        var gates = Started(true, true, true);
        Take(gates, 0, "a");
        Take(gates, 2, "b");
        gates.Probed(0, null);
        gates.Probed(1, Another);
        Done("look 0", "look 1", "look 2", $"a: {Another.Message}", $"b: {Another.Message}");
        gates.Probed(2, null);
        Take(gates, 0, "c");
        Take(gates, 1, "d");
        Take(gates, 2, "e");
        Done($"c: {Another.Message}", $"d: {Another.Message}", $"e: {Another.Message}");
    }

    [Fact]
    public void A_database_of_another_map_that_was_away_at_first_refuses_all_when_it_comes()
    {
        var gates = Started(true, true);
        gates.Probed(0, null);
        gates.Probed(1, Away);
        Take(gates, 0, "a");
        Take(gates, 1, "b");
        gates.Probed(1, Another);
        Take(gates, 0, "c");
        Done("look 0", "look 1", "open 0", "a to 0", "look 1", $"b: {Another.Message}", $"c: {Another.Message}");
    }

    [Fact]
    public void A_database_that_cannot_be_looked_at_is_open_when_the_others_were()
    {
        var gates = Started(false, true);
        Take(gates, 0, "a");
        Done("look 1");
        gates.Probed(1, Away);
        Done("open 0", "a to 0");
    }

    [Fact]
    public void Where_no_database_can_be_looked_at_nothing_waits()
    {
        var gates = Started(false, false);
        Take(gates, 1, "a");
        Done("open 0", "open 1", "a to 1");
    }

    [Fact]
    public void A_shard_that_is_closed_refuses_its_own_messages_and_the_others_go_on()
    {
        var gates = Started(false, false);
        gates.Close(0, Away);
        Take(gates, 0, "a");
        Take(gates, 1, "b");
        Done("open 0", "open 1", "a: away", "b to 1");
    }

    [Fact]
    public void A_shard_that_cannot_be_started_refuses_those_that_waited_for_it()
    {
        ShardGates gates = null!;
        gates = new([true], Keeper() with { Open = shard => gates.Close(shard, Away) });
        gates.Start();
        Take(gates, 0, "a", "b");
        gates.Probed(0, null);
        Take(gates, 0, "c");
        Done("look 0", "a: away", "b: away", "c: away");
    }

    private static void Take(ShardGates gates, int shard, params string[] letters)
    {
        foreach (var letter in letters)
            gates.Take(shard, new(letter, ActorRefs.Nobody));
    }

    private ShardGates Started(params bool[] canLook)
    {
        var gates = new ShardGates(canLook, Keeper());
        gates.Start();
        return gates;
    }

    private ShardGateCallbacks Keeper() => new()
    {
        Open = shard => _done.Add($"open {shard}"),
        Forward = (shard, request) => _done.Add($"{request.Message} to {shard}"),
        Refuse = (request, cause) => _done.Add($"{request.Message}: {cause.Message}"),
        Probe = shard => _done.Add($"look {shard}"),
    };

    // What was done since the last time.
    private void Done(params string[] what)
    {
        Assert.Equal(what, _done);
        _done.Clear();
    }
}
