using System.CommandLine;
using System.CommandLine.Invocation;
using System.Reflection;

namespace Throttled.Tool.CommandLine;

internal sealed class VersionAction : SynchronousCommandLineAction
{
    public override int Invoke(ParseResult parseResult)
    {
        var version = typeof(VersionAction).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;
        // The text after '+' is the commit.
        parseResult.InvocationConfiguration.Output.WriteLine(version?.Split('+')[0]);
        return 0;
    }
}
