namespace Throttled.Conventions.Floors;

/// <summary>A package is a stack of floors; each floor is a folder. A type uses only types of its own floor and of the floors below.</summary>
public sealed class FloorTests
{
    public static TheoryData<string> Packages() => [.. FloorPlan.All.Select(plan => plan.Package)];

    [Fact]
    public void The_packages_with_folders_have_floors() => Assert.Equal(
        Repository.Packages.Where(package => FloorPlan.Of(package) is var plan && plan.Files.Any(file => plan.FolderOf(file) != FloorPlan.Top)),
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

    // Folders within a floor, too.
    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void No_folders_use_each_other_in_a_circle(string package)
    {
        var plan = FloorPlan.Of(package);
        var arrows =
            (from use in TypeUses.Of(Repository.AssemblyOf(package))
             let user = Path.GetDirectoryName(plan.FileOf(use.User))
             let used = Path.GetDirectoryName(plan.FileOf(use.Used))
             where user is not null && used is not null && user != used
             group (From: user, To: used, Example: $"{use.User.Name} uses {use.Used.Name}") by (user, used) into same
             select same.First()).ToList();
        // A folder that uses no other is in no circle; neither is one that uses only such folders.
        for (var count = -1; count != arrows.Count;)
        {
            count = arrows.Count;
            arrows = [.. arrows.Where(arrow => arrows.Any(next => next.From == arrow.To))];
        }
        Offences.None("These folders use each other in a circle, or use such folders:", arrows.Select(arrow => $"{arrow.From} -> {arrow.To}: {arrow.Example}"));
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
