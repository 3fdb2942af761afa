using System.Reflection;
using System.Text.RegularExpressions;
using Throttled.Conventions.PublicSurface;

namespace Throttled.Conventions;

public sealed partial class TypeTests
{
    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void Every_class_without_subclasses_is_sealed_static_or_abstract(string package)
    {
        var bases = WrittenTypes(package).Select(type => type.BaseType).ToHashSet();
        Offences.None(
            $"No class derives from these classes of {package}; seal them:",
            WrittenTypes(package).Where(type => type is { IsClass: true, IsSealed: false, IsAbstract: false } && !bases.Contains(type)).Select(Name));
    }

    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void Every_public_type_is_in_the_root_namespace(string package) =>
        Offences.None(
            $"Public types of {package} belong in the namespace {package}:",
            Repository.AssemblyOf(package).GetExportedTypes().Where(type => type.Namespace != package).Select(Name));

    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void Every_type_is_named_for_what_it_is(string package) =>
        Offences.None(
            "Use a noun of the domain instead of these names:",
            WrittenTypes(package).Where(type => EmptyWord().IsMatch(type.Name)).Select(Name));

    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void Every_public_type_is_in_the_glossary(string package)
    {
        var text = File.ReadAllText(Path.Combine(Repository.Root, "docs/glossary.md"));
        Offences.None(
            "The glossary has no line for these types:",
            Repository.AssemblyOf(package).GetExportedTypes()
                .Where(type => !type.IsNested && !type.Name.EndsWith("Extensions", StringComparison.Ordinal))
                .Select(type => type.Name.Split('`')[0])
                .Where(name => !text.Contains($"`{name}`", StringComparison.Ordinal)));
    }

    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void Every_package_has_a_type(string package) => Assert.NotEmpty(WrittenTypes(package));

    /// <summary>The types in the sources. Types of the compiler have names that are not valid in sources.</summary>
    private static IEnumerable<Type> WrittenTypes(string package) =>
        from type in Repository.AssemblyOf(package).GetTypes()
        where !Chain(type).Any(t => t.Name.Contains('<', StringComparison.Ordinal) || t.IsSynthesised())
        where type.Namespace == package || type.Namespace?.StartsWith(package + ".", StringComparison.Ordinal) == true
            || type.IsVisible
        select type;

    private static IEnumerable<Type> Chain(Type type)
    {
        for (var current = type; current is not null; current = current.DeclaringType)
            yield return current;
    }

    private static string Name(Type type) => type.FullName ?? type.Name;

    [GeneratedRegex("(?:^|[a-z0-9])(?:Base|Helpers?|Holder|Manager|News|Parts|Utils?|Utility|Data)(?:`[0-9]+)?$")]
    private static partial Regex EmptyWord();
}
