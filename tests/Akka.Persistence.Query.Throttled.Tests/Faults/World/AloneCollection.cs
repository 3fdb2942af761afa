namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>Tests that must run alone: they need the machine, or measure the whole process.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection
{
    public const string Name = "faults alone";
}
