using System.CommandLine;
using System.CommandLine.Invocation;
using System.Reflection;
using Throttled.Journal;

namespace Tail.Settings;

/// <summary>Prints the library's version: the tool has none of its own.</summary>
internal sealed class VersionAction : SynchronousCommandLineAction
{
    public override int Invoke(ParseResult parseResult)
    {
        var version = typeof(JournalReader).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
        // What follows is the commit.
        Console.WriteLine(version?.Split('+')[0]);
        return 0;
    }
}
