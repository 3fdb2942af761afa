using Throttled.Projections.Databases;

namespace Throttled.Projections.Tests.Handlers;

public sealed class HandlerBuilderTests
{
    private readonly List<string> _called = [];

    [Theory]
    [InlineData(typeof(Cat), "Cat")]
    [InlineData(typeof(Kitten), "Cat")]
    [InlineData(typeof(Dog), "Animal")]
    [InlineData(typeof(Stone), "INamed")]
    [InlineData(typeof(string), null)]
    public async Task An_event_goes_to_the_function_of_its_nearest_type(Type type, string? expected)
    {
        var handler = Named<INamed>(Named<IOther>(Named<Animal>(Named<Cat>(new())))).Build();
        var payload = type == typeof(string) ? "text" : Activator.CreateInstance(type)!;
        await DeliverAsync(handler, payload);
        await DeliverAsync(handler, payload);
        Assert.Equal(expected is null ? [] : [expected, expected], _called);
    }

    [Fact]
    public async Task A_function_for_objects_gets_only_the_rest()
    {
        var handler = Named<Cat>(Named<INamed>(Named<object>(new()))).RefuseOthers().Build();
        foreach (var payload in new object[] { new Stone(), "text", new Kitten() })
            await DeliverAsync(handler, payload);
        Assert.Equal(["INamed", "Object", "Cat"], _called);
    }

    [Fact]
    public async Task A_cancelled_batch_ends_before_its_next_event()
    {
        using var stop = new CancellationTokenSource();
        var handler = new HandlerBuilder().Event<string>((_, _, _) => Task.WhenAll(Record("event"), stop.CancelAsync())).Build();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(
            () => handler.WriteEffectsAsync(new("v", [Event("one"), Event("two")], null!, ReadModelDialect.Sqlite), stop.Token));
        Assert.Equal(["event"], _called);
    }

    [Fact]
    public async Task Other_types_are_refused_by_choice()
    {
        var handler = Named<Cat>(new()).RefuseOthers().Build();
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => DeliverAsync(handler, "text"));
        Assert.Contains("no function for events of the type System.String", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_type_has_one_function() =>
        Assert.Contains("has a function already", Assert.Throws<ArgumentException>(() => Named<Cat>(Named<Cat>(new()))).Message, StringComparison.Ordinal);

    [Fact]
    public void A_handler_has_functions_of_one_kind()
    {
        AssertRefused(new(), "has no function");
        var unused = Named<Cat>(new());
        unused.LookUp((batch, _) => Task.FromResult(batch.Count));
        AssertRefused(unused, "No function gets what 'LookUp' returns");
        var batches = new HandlerBuilder().Batch((_, _) => Task.CompletedTask);
        batches.LookUp((events, _, _) => Task.FromResult(events.Count));
        AssertRefused(batches, "No function gets what 'LookUp' returns");
        Assert.Throws<InvalidOperationException>(() => batches.LookUp((batch, _) => Task.FromResult(batch.Count)));
        Assert.Throws<InvalidOperationException>(() => unused.LookUp((events, _, _) => Task.FromResult(events.Count)));
        Assert.Throws<ArgumentException>(() => Named<Cat>(new()).LookUp((events, _, _) => Task.FromResult(1)).AtLeastOnce<Cat>((_, _, _, _) => Task.CompletedTask));
        AssertRefused(new HandlerBuilder().RefuseOthers(), "has no function");
        AssertRefused(Named<Cat>(new()).Event<Cat>((_, _, _) => Task.CompletedTask), "several kinds");
        AssertRefused(Named<Cat>(new()).Batch((_, _) => Task.CompletedTask), "several kinds");
        AssertRefused(new HandlerBuilder().Batch((_, _) => Task.CompletedTask).Entity<string>((state, _) => state), "several kinds");
        AssertRefused(new HandlerBuilder().Batch((_, _) => Task.CompletedTask).RefuseOthers(), "needs functions by type");
        AssertRefused(new HandlerBuilder().Entity<string>((state, _) => state).RefuseOthers(), "needs functions by type");
        AssertRefused(new HandlerBuilder().Event<Cat>((_, _, _) => Task.CompletedTask).RunsInRebuild(), "is for 'AtLeastOnce' only");
        Assert.Throws<InvalidOperationException>(() => new HandlerBuilder().Entity<string>((state, _) => state).Entity<string>((state, _) => state));
        Assert.Throws<InvalidOperationException>(() => new HandlerBuilder().Batch((_, _) => Task.CompletedTask).Batch((_, _) => Task.CompletedTask));
    }

    [Fact]
    public void A_handler_of_functions_runs_in_a_rebuild_if_its_effects_are_in_the_read_model_or_by_choice()
    {
        Assert.Null(new HandlerBuilder().Event<Cat>((_, _, _) => Task.CompletedTask).Build().Delivery);
        Assert.Equal(
            [false, true], new[] { Named<Cat>(new()), Named<Cat>(new()).RunsInRebuild() }.Select(builder => builder.Build().Delivery!.RunsInRebuild));
    }

    [Fact]
    public async Task A_built_handler_has_the_hooks_and_does_not_change_any_more()
    {
        var builder = Named<Cat>(new())
            .Prepare((_, _) => Record("prepare"))
            .Swap((from, _, _) => Record($"swap {from}"))
            .Drop((_, _) => Record("drop"));
        var handler = builder.Build();
        Named<Dog>(builder);
        await DeliverAsync(handler, new Dog());
        await handler.PrepareAsync(null!, default);
        await handler.SwapAsync("old", null!, default);
        await handler.DropAsync(null!, default);
        Assert.Equal(["prepare", "swap old", "drop"], _called);
    }

    private static void AssertRefused(HandlerBuilder builder, string part) =>
        Assert.Contains(part, Assert.Throws<InvalidOperationException>(builder.Build).Message, StringComparison.Ordinal);

    private HandlerBuilder Named<T>(HandlerBuilder builder)
        where T : notnull =>
        builder.AtLeastOnce<T>((_, version, _) =>
        {
            Assert.Equal("v", version);
            return Record(typeof(T).Name);
        });

    private Task Record(string call)
    {
        _called.Add(call);
        return Task.CompletedTask;
    }

    private static async Task DeliverAsync(ProjectionHandler handler, object payload)
    {
        var deliver = await handler.Delivery!.BeginAsync([Event(payload)], "v", default);
        await deliver(Event(payload), default);
    }

    private static ProjectionEvent Event(object payload) => new(new() { PersistenceId = "id", SequenceNumber = 1, Payload = default }, payload);

    private interface INamed;

    private interface IOther;

    private class Animal : INamed;

    private class Cat : Animal;

    private sealed class Kitten : Cat;

    private sealed class Dog : Animal;

    private sealed class Stone : INamed;
}
