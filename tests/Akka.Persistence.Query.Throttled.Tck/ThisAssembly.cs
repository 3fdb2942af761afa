namespace Akka.Persistence.Query.Throttled.Tests;

/// <summary>Names this project in files that several projects share.</summary>
internal static class ThisAssembly
{
    internal const string Name = "Akka.Persistence.Query.Throttled.Tck";
}
