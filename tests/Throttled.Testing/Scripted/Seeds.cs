using System.Collections.Concurrent;

namespace Throttled.Testing.Scripted;

/// <summary>Runs a simulation for many seeds and names the first that fails.</summary>
internal static class Seeds
{
    // THROTTLED_SEED runs one seed. THROTTLED_SEEDS is the number of seeds, and THROTTLED_FIRST_SEED the first.
    private static readonly int? Only = Number("THROTTLED_SEED");
    private static readonly int? Many = Number("THROTTLED_SEEDS");
    private static readonly int First = Number("THROTTLED_FIRST_SEED") ?? 1;

    /// <param name="count">The number of seeds.</param>
    /// <param name="create">Creates the simulation of a seed; its text is added to the failure.</param>
    internal static void ForEach<T>(int count, Func<int, T> create, Action<T> run)
        where T : notnull
    {
        var seeds = Only is { } only ? [only] : Enumerable.Range(First, Many ?? count);
        var failures = new ConcurrentDictionary<int, string>();
        var left = new ConcurrentQueue<int>(seeds);
        // New threads, because the simulations need the threads of the pool for their own work.
        var threads = Enumerable.Range(0, Environment.ProcessorCount)
            .Select(_ => new Thread(() => RunAll(left, create, run, failures))).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join());
        if (!failures.IsEmpty)
            Assert.Fail(failures.OrderBy(failure => failure.Key).First().Value);
    }

    private static void RunAll<T>(
        ConcurrentQueue<int> left, Func<int, T> create, Action<T> run, ConcurrentDictionary<int, string> failures)
        where T : notnull
    {
        while (failures.IsEmpty && left.TryDequeue(out var seed))
            Run(seed, create, run, failures);
    }

    private static void Run<T>(int seed, Func<int, T> create, Action<T> run, ConcurrentDictionary<int, string> failures)
        where T : notnull
    {
        var simulation = create(seed);
        try
        {
            run(simulation);
        }
        catch (Exception error)
        {
            failures[seed] = $"Seed {seed} (replay: THROTTLED_SEED={seed}): {error}{Environment.NewLine}{simulation}";
        }
    }

    private static int? Number(string name) =>
        int.TryParse(Environment.GetEnvironmentVariable(name), out var number) ? number : null;
}
