using System.Globalization;

namespace Throttled.Simulation;

/// <summary>Prints the digests of seeds. A test compares them with those of a process that sees another number of processors.</summary>
internal static class Program
{
    internal static void Main(string[] seeds)
    {
        foreach (var seed in seeds)
            Console.WriteLine(DigestOf(int.Parse(seed, CultureInfo.InvariantCulture)));
    }

    internal static ulong DigestOf(int seed)
    {
        using var simulation = new EngineSimulation(seed);
        simulation.Run();
        return simulation.Digest;
    }
}
