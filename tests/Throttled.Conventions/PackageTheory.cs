namespace Throttled.Conventions;

/// <summary>The packages as test data: one case each.</summary>
public sealed class PackageTheory : TheoryData<string>
{
    public PackageTheory() => AddRange([.. Repository.Packages]);
}
