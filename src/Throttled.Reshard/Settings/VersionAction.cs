using System.CommandLine;
using System.CommandLine.Invocation;
using System.Reflection;

namespace Throttled.Reshard.Settings;

/// <summary>Prints the tool's version.</summary>
internal sealed class VersionAction : SynchronousCommandLineAction
{
    public override int Invoke(ParseResult parseResult)
    {
        var version = typeof(VersionAction).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
        // What follows is the commit.
        parseResult.InvocationConfiguration.Output.WriteLine(version?.Split('+')[0]);
        return 0;
    }
}
