using System.Xml.Linq;

namespace Throttled.Conventions;

/// <summary>Which package may use which. Looked at twice: an assembly does not show a reference that it makes no use of.</summary>
public sealed class ArrowTests
{
    private const string Engine = "Throttled.Journal";

    /// <summary>The names that a reference to a driver, or to what a driver brings, starts with.</summary>
    private static readonly string[] Drivers = ["Npgsql", "Microsoft.Data.", "SQLitePCL", "System.Data.SqlClient", "MySql"];

    [Fact]
    public void The_engine_uses_nothing_of_ours_no_driver_and_no_Akka()
    {
        Offences.None(
            "The engine may use Microsoft.Extensions.Logging.Abstractions and nothing else outside the framework:",
            ReferencesOf(Engine).Where(name => IsOurs(name) || IsDriver(name) || IsAkka(name)));
        Assert.Equal(["Microsoft.Extensions.Logging.Abstractions"], DeclaredBy(Engine));
    }

    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void A_database_package_uses_of_ours_the_engine_alone(string package)
    {
        if (IsDatabase(package))
        {
            Offences.None(
                $"{package} may use {Engine} and its driver:",
                ReferencesOf(package).Where(name => (IsOurs(name) && name != Engine) || IsAkka(name)));
        }
    }

    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void A_driver_is_used_by_a_database_package_alone(string package)
    {
        if (!IsDatabase(package))
            Offences.None($"{package} is no database package:", ReferencesOf(package).Where(IsDriver));
    }

    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void Akka_is_used_by_the_plugin_alone(string package)
    {
        if (!IsAkka(package))
            Offences.None($"{package} must not know Akka:", ReferencesOf(package).Where(IsAkka));
    }

    [Fact]
    public void The_filter_leaves_out_the_project_alone_that_needs_packages_that_some_sources_lack() => Assert.Equal(
        ["tests/Akka.Persistence.Query.Throttled.Tck/Akka.Persistence.Query.Throttled.Tck.csproj"],
        Repository.Projects.Except(Repository.FilteredProjects));

    [Fact]
    public void What_is_in_the_filter_uses_no_project_that_is_not()
    {
        Assert.NotEmpty(Repository.FilteredProjects);
        Offences.None(
            "The filter is built where packages are missing that the rest of the solution needs. These references lead out of it:",
            from project in Repository.FilteredProjects
            from used in ProjectsUsedBy(project)
            where !Repository.FilteredProjects.Contains(used)
            select $"{project}: {used}");
    }

    // The conventions name all packages at once, with *.
    private static IEnumerable<string> ProjectsUsedBy(string project) =>
        from item in XDocument.Load(Path.Combine(Repository.Root, project)).Descendants("ProjectReference")
        let include = item.Attribute("Include")!.Value
        where !include.Contains('*', StringComparison.Ordinal)
        select Path.GetRelativePath(Repository.Root, Path.Combine(Repository.Root, Path.GetDirectoryName(project)!, include)).Replace('\\', '/');

    private static bool IsDatabase(string package) => package.StartsWith(Engine + ".", StringComparison.Ordinal);

    private static bool IsOurs(string name) => Repository.Packages.Contains(name);

    private static bool IsDriver(string name) => Drivers.Any(start => name.StartsWith(start, StringComparison.OrdinalIgnoreCase));

    private static bool IsAkka(string name) => name == "Akka" || name.StartsWith("Akka.", StringComparison.Ordinal);

    private static IEnumerable<string> ReferencesOf(string package) =>
        Repository.AssemblyOf(package).GetReferencedAssemblies().Select(reference => reference.Name!)
            .Union(DeclaredBy(package))
            .Order(StringComparer.Ordinal);

    /// <summary>The packages and projects that a project file names.</summary>
    private static IEnumerable<string> DeclaredBy(string package) =>
        from item in XDocument.Load(Repository.ProjectFileOf(package)).Descendants()
        where item.Name.LocalName is "PackageReference" or "ProjectReference"
        let include = item.Attribute("Include")!.Value
        select item.Name.LocalName == "PackageReference" ? include : Path.GetFileNameWithoutExtension(include);
}
