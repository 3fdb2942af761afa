namespace Akka.Persistence.Query.Throttled.Tests;

/// <summary>This project, where files that several projects share have to name it.</summary>
internal static class ThisAssembly
{
    internal const string Name = "Akka.Persistence.Query.Throttled.Tck";
}
