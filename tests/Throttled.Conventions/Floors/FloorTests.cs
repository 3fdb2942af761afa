namespace Throttled.Conventions.Floors;

/// <summary>A package is a stack of floors; each floor is a folder. A type uses only types of its own floor and of the floors below.</summary>
public sealed class FloorTests
{
    public static TheoryData<string> Packages() => [.. FloorPlan.All.Select(plan => plan.Package)];

    [Fact]
    public void The_packages_with_folders_have_floors() => Assert.Equal(
        ["Akka.Persistence.Query.Throttled", "Akka.Persistence.Query.Throttled.Cluster", "Akka.Persistence.Query.Throttled.Hosting", "Throttled.Journal", "Throttled.Journal.Relational", "Throttled.Projections", "Throttled.Tool"],
        FloorPlan.All.Select(plan => plan.Package).Order(StringComparer.Ordinal));

    [Theory]
    [MemberData(nameof(Packages))]
    public void Every_folder_is_a_floor_and_every_floor_a_folder(string package)
    {
        var plan = PlanOf(package);
        Assert.Equal(plan.Floors.Order(StringComparer.Ordinal), plan.Files.Select(plan.FolderOf).Distinct().Order(StringComparer.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Packages))]
    public void No_floor_uses_one_above_it(string package)
    {
        var plan = PlanOf(package);
        var uses = TypeUses.Of(Repository.AssemblyOf(package)).ToList();
        Assert.True(uses.Count > 10, "Too few uses were found.");
        Offences.None(
            "A floor uses only floors below it:",
            from use in uses
            let user = plan.FileOf(use.User)
            let used = plan.FileOf(use.Used)
            where user is not null && used is not null && plan.HeightOf(user) > plan.HeightOf(used)
            orderby user
            select $"{user}: {use.User.Name} ({plan.FolderOf(user)}) uses {use.Used.Name} ({plan.FolderOf(used)}), which is above it");
    }

    [Theory]
    [MemberData(nameof(Packages))]
    public void A_type_is_in_the_namespace_of_its_folder_or_in_that_of_the_package(string package)
    {
        var plan = PlanOf(package);
        Offences.None(
            "Public types, types beside the project file and types in Model/ have the namespace of the package; others have that of their folder:",
            from type in Repository.AssemblyOf(package).GetTypes()
            where !type.IsNested && plan.FileOf(type) is not null
            let folder = plan.FolderOf(plan.FileOf(type)!)
            let ofPackage = type.IsPublic || folder is FloorPlan.Top or "Model" || package == "Throttled.Journal.Relational"
            where type.Namespace != (ofPackage ? package : $"{package}.{folder}")
            select $"{plan.FileOf(type)}: {type.FullName}");
    }

    private static FloorPlan PlanOf(string package) => FloorPlan.All.Single(plan => plan.Package == package);
}
