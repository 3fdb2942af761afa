using System.Xml.Linq;

namespace Throttled.Conventions;

/// <summary>Which package may use which. Checks assemblies and project files, because an assembly does not list an unused reference.</summary>
public sealed class ArrowTests
{
    private const string Engine = "Throttled.Journal";
    private const string Relational = "Throttled.Journal.Relational";
    private const string Sqlite = "Throttled.Journal.Sqlite";
    private const string PostgreSql = "Throttled.Journal.PostgreSql";
    private const string SqlServer = "Throttled.Journal.SqlServer";
    private const string Projections = "Throttled.Projections";
    private const string EntityFramework = "Throttled.Projections.EntityFrameworkCore";
    private const string Linq2Db = "Throttled.Projections.Linq2Db";
    private const string HandlerTests = "Throttled.Projections.Testing";
    private const string Page = "Throttled.AspNetCore";
    private const string Telemetry = "Throttled.OpenTelemetry";
    private const string Tool = "Throttled.Tool";
    private const string Plugin = "Akka.Persistence.Query.Throttled";
    private const string Sharded = "Akka.Persistence.Sharded";
    private const string Hosting = "Akka.Persistence.Query.Throttled.Hosting";
    private const string Cluster = "Akka.Persistence.Query.Throttled.Cluster";

    /// <summary>Which of our packages a package may use.</summary>
    private static readonly Dictionary<string, string[]> Arrows = new()
    {
        [Engine] = [],
        [Relational] = [Engine],
        [Sqlite] = [Engine, Relational],
        [PostgreSql] = [Engine, Relational],
        [SqlServer] = [Engine, Relational],
        [Projections] = [Engine],
        [EntityFramework] = [Projections],
        [Linq2Db] = [Projections],
        [HandlerTests] = [Engine, Projections],
        [Page] = [Engine, Projections],
        [Telemetry] = [],
        [Tool] = [Engine, Relational, Sqlite, PostgreSql, SqlServer, Projections, Plugin],
        [Plugin] = [Engine, Relational, Sqlite, PostgreSql, SqlServer],
        [Sharded] = [Engine, Relational, Sqlite, PostgreSql, SqlServer, Plugin],
        [Hosting] = [Engine, Sqlite, PostgreSql, SqlServer, Plugin, Sharded],
        [Cluster] = [Engine, Projections, Plugin, Hosting],
    };

    private static readonly string[] NamesDrivers = [Sqlite, PostgreSql, SqlServer, Tool];

    /// <summary>The prefixes of references to a driver, or to a dependency of a driver.</summary>
    private static readonly string[] Drivers = ["Npgsql", "Microsoft.Data.", "SQLitePCL", "System.Data.SqlClient", "MySql"];

    [Fact]
    public void The_engine_uses_no_package_of_ours_no_driver_and_no_Akka()
    {
        Offences.None(
            "The engine may use Microsoft.Extensions.Logging.Abstractions and nothing else outside the framework:",
            ReferencesOf(Engine).Where(name => IsOurs(name) || IsDriver(name) || IsAkka(name)));
        Assert.Equal(["Microsoft.Extensions.Logging.Abstractions"], DeclaredBy(Engine));
    }

    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void A_package_uses_only_our_packages_below_it(string package) => Offences.None(
        $"Of our packages, {package} may use {string.Join(", ", Arrows[package])}:", ReferencesOf(package).Where(name => IsOurs(name) && !Arrows[package].Contains(name)));

    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void Only_a_database_package_and_the_tool_use_a_driver(string package)
    {
        if (!NamesDrivers.Contains(package))
            Offences.None($"{package} names no driver:", ReferencesOf(package).Where(IsDriver));
    }

    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void Only_the_plugin_uses_Akka(string package)
    {
        if (!IsAkka(package))
            Offences.None($"{package} must not know Akka:", ReferencesOf(package).Where(name => IsAkka(name) && !IsOurs(name)));
    }

    [Fact]
    public void The_filter_leaves_out_only_the_project_that_needs_packages_that_some_sources_lack() => Assert.Equal(
        ["tests/Akka.Persistence.Query.Throttled.Tck/Akka.Persistence.Query.Throttled.Tck.csproj"],
        Repository.Projects.Except(Repository.FilteredProjects));

    [Fact]
    public void Projects_in_the_filter_use_no_project_outside_of_it()
    {
        Assert.NotEmpty(Repository.FilteredProjects);
        Offences.None(
            "The filter must build without the packages that only the rest of the solution needs. These references lead out of it:",
            from project in Repository.FilteredProjects
            from used in ProjectsUsedBy(project)
            where !Repository.FilteredProjects.Contains(used)
            select $"{project}: {used}");
    }

    // The project of the conventions references all packages with a wildcard.
    private static IEnumerable<string> ProjectsUsedBy(string project) =>
        from item in XDocument.Load(Path.Combine(Repository.Root, project)).Descendants("ProjectReference")
        let include = item.Attribute("Include")!.Value
        where !include.Contains('*', StringComparison.Ordinal)
        select Path.GetRelativePath(Repository.Root, Path.Combine(Repository.Root, Path.GetDirectoryName(project)!, include)).Replace('\\', '/');

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
