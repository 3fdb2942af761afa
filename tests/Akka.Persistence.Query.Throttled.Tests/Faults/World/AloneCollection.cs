namespace Akka.Persistence.Query.Throttled.Tests.Faults.World;

/// <summary>Tests that need the machine, or look at what is the whole process's.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AloneCollection
{
    public const string Name = "faults alone";
}
