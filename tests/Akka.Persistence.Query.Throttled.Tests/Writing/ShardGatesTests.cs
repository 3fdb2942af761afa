using Akka.Actor;
using Akka.Persistence.Sharded;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Akka.Persistence.Query.Throttled.Tests.Writing;

/// <summary>No message goes to a shard before its database was found to be its own, and no message waits for an unavailable database.</summary>
public sealed class ShardGatesTests
{
    private static readonly Exception Unavailable = new InvalidOperationException("unavailable");
    private static readonly ShardMarkException Another = ShardMark.Unsharded("journal", new(ShardMap.Even(2), 0));

    private readonly List<string> _done = [];

    [Fact]
    public void Messages_wait_until_every_database_was_probed_and_are_forwarded_in_order()
    {
        var gates = Started(true, true);
        Take(gates, 0, "a", "b");
        Take(gates, 1, "c");
        Done("probe 0", "probe 1");
        gates.Probed(0, null);
        Take(gates, 0, "d");
        Done();
        gates.Probed(1, null);
        Done("open 0", "a to 0", "b to 0", "d to 0", "open 1", "c to 1");
        Take(gates, 0, "e");
        Done("e to 0");
    }

    [Fact]
    public void An_unavailable_database_fails_its_messages_and_the_next_message_probes_it_again()
    {
        var gates = Started(true, true);
        Take(gates, 0, "a");
        Take(gates, 1, "b", "c");
        gates.Probed(1, Unavailable);
        Done("probe 0", "probe 1", "b: unavailable", "c: unavailable");
        gates.Probed(0, null);
        Done("open 0", "a to 0");
        Take(gates, 1, "d");
        Take(gates, 1, "e");
        Take(gates, 0, "f");
        Done("probe 1", "f to 0");
        gates.Probed(1, Unavailable);
        Take(gates, 1, "g");
        Done("d: unavailable", "e: unavailable", "probe 1");
        gates.Probed(1, null);
        Take(gates, 1, "h");
        Done("open 1", "g to 1", "h to 1");
    }

    [Fact]
    public void An_unavailable_database_without_messages_is_not_probed_again()
    {
        var gates = Started(true);
        gates.Probed(0, Unavailable);
        Done("probe 0");
    }

    [Fact]
    public void A_database_of_another_map_refuses_all_messages()
    {
        var gates = Started(true, true, true);
        Take(gates, 0, "a");
        Take(gates, 2, "b");
        gates.Probed(0, null);
        gates.Probed(1, Another);
        Done("probe 0", "probe 1", "probe 2", $"a: {Another.Message}", $"b: {Another.Message}");
        gates.Probed(2, null);
        Take(gates, 0, "c");
        Take(gates, 1, "d");
        Take(gates, 2, "e");
        Done($"c: {Another.Message}", $"d: {Another.Message}", $"e: {Another.Message}");
    }

    [Fact]
    public void A_database_of_another_map_that_was_unavailable_refuses_all_messages_when_it_is_available()
    {
        var gates = Started(true, true);
        gates.Probed(0, null);
        gates.Probed(1, Unavailable);
        Take(gates, 0, "a");
        Take(gates, 1, "b");
        gates.Probed(1, Another);
        Take(gates, 0, "c");
        Done("probe 0", "probe 1", "open 0", "a to 0", "probe 1", $"b: {Another.Message}", $"c: {Another.Message}");
    }

    [Fact]
    public void A_database_that_cannot_be_probed_opens_with_the_others()
    {
        var gates = Started(false, true);
        Take(gates, 0, "a");
        Done("probe 1");
        gates.Probed(1, Unavailable);
        Done("open 0", "a to 0");
    }

    [Fact]
    public void If_no_database_can_be_probed_no_message_waits()
    {
        var gates = Started(false, false);
        Take(gates, 1, "a");
        Done("open 0", "open 1", "a to 1");
    }

    [Fact]
    public void A_closed_shard_refuses_its_own_messages_only()
    {
        var gates = Started(false, false);
        gates.Close(0, Unavailable);
        Take(gates, 0, "a");
        Take(gates, 1, "b");
        Done("open 0", "open 1", "a: unavailable", "b to 1");
    }

    [Fact]
    public void A_shard_that_cannot_be_started_refuses_its_waiting_messages()
    {
        ShardGates gates = null!;
        gates = new([true], Callbacks() with { Open = shard => gates.Close(shard, Unavailable) });
        gates.Start();
        Take(gates, 0, "a", "b");
        gates.Probed(0, null);
        Take(gates, 0, "c");
        Done("probe 0", "a: unavailable", "b: unavailable", "c: unavailable");
    }

    private static void Take(ShardGates gates, int shard, params string[] messages)
    {
        foreach (var message in messages)
            gates.Take(shard, new(message, ActorRefs.Nobody));
    }

    private ShardGates Started(params bool[] canProbe)
    {
        var gates = new ShardGates(canProbe, Callbacks());
        gates.Start();
        return gates;
    }

    private ShardGateCallbacks Callbacks() => new()
    {
        Open = shard => _done.Add($"open {shard}"),
        Forward = (shard, request) => _done.Add($"{request.Message} to {shard}"),
        Refuse = (request, cause) => _done.Add($"{request.Message}: {cause.Message}"),
        Probe = shard => _done.Add($"probe {shard}"),
    };

    // The actions since the last call.
    private void Done(params string[] what)
    {
        Assert.Equal(what, _done);
        _done.Clear();
    }
}
