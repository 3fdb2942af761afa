using System.Diagnostics;
using System.Text.Json;

namespace Throttled.Conventions;

/// <summary>The dependencies between our packages, as pack writes them. The test calls the same MSBuild target as pack.</summary>
[Trait("Category", "Long")]
public sealed class PackageVersionTests
{
    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void A_package_depends_on_ours_at_exactly_its_own_version(string package)
    {
        using var answer = JsonDocument.Parse(MSBuild(
            Repository.ProjectFileOf(package), "-t:_GetProjectReferenceVersions", "-getItem:_ProjectReferencesWithVersions", "-getProperty:Version"));
        var version = answer.RootElement.GetProperty("Properties").GetProperty("Version").GetString();
        var references = answer.RootElement.GetProperty("Items").GetProperty("_ProjectReferencesWithVersions").EnumerateArray().ToList();

        Assert.Equal(package is "Throttled.Journal" or "Throttled.OpenTelemetry", references.Count == 0);
        Assert.All(references, reference => Assert.Equal($"[{version}]", reference.GetProperty("ProjectVersion").GetString()));
    }

    private static string MSBuild(params string[] arguments)
    {
        var start = new ProcessStartInfo("dotnet", ["msbuild", "-nologo", "-nodeReuse:false", .. arguments]) { RedirectStandardOutput = true };
        using var build = Process.Start(start) ?? throw new InvalidOperationException("dotnet did not start.");
        var output = build.StandardOutput.ReadToEnd();
        build.WaitForExit();
        return build.ExitCode == 0 ? output : throw new InvalidOperationException($"dotnet msbuild ended with {build.ExitCode}: {output}");
    }
}
