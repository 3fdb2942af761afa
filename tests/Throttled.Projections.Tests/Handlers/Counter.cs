namespace Throttled.Projections.Tests.Handlers;

/// <summary>The state of the entities of tests: a number above 0 is added, 0 deletes, -1 is ignored, -2 fails as long as a handler has that defect.</summary>
internal sealed record Counter(long Sum, string Numbers)
{
    internal static EntityTable<Counter> Table { get; } = new EntityTable<Counter>().Column("sum", counter => counter.Sum).Column("numbers", counter => counter.Numbers);

    /// <summary>The same without JSON.</summary>
    internal static EntityTable<Counter> Columns { get; } = new EntityTable<Counter>(() => new(0, ""))
        .Column("sum", counter => counter.Sum, (counter, sum) => counter with { Sum = sum })
        .Column("numbers", counter => counter.Numbers, (counter, numbers) => counter with { Numbers = numbers });

    internal static Counter? Apply(Counter? state, int number) => number switch
    {
        0 => null,
        -1 => state,
        _ => new((state?.Sum ?? 0) + number, $"{state?.Numbers} {number}".Trim()),
    };
}

internal sealed class Counters : EntityStateHandler<Counter>
{
    internal Counters(EntityTable<Counter>? table = null)
        : base(table ?? Counter.Table)
    {
    }

    /// <summary>Events with -2 fail.</summary>
    internal bool IsDefect { get; set; }

    public override Counter? Apply(Counter? state, ProjectionEvent @event) => (int)@event.Payload is -2 && IsDefect
        ? throw new InvalidOperationException("defect")
        : Counter.Apply(state, (int)@event.Payload);
}
