namespace Throttled.Conventions.PublicSurface;

public sealed class PublicSurfaceTests
{
    private const string Accept = "THROTTLED_ACCEPT_API";

    [Theory]
    [ClassData(typeof(PackageTheory))]
    public void The_public_surface_of_a_package_is_the_recorded_one(string package)
    {
        var file = Path.Combine(Repository.FolderOf(package), "PublicAPI.txt");
        var actual = SurfaceText.Of(Repository.AssemblyOf(package));

        if (Environment.GetEnvironmentVariable(Accept) == "1")
            File.WriteAllLines(file, actual);

        if (!File.Exists(file))
            Assert.Fail($"src/{package}/PublicAPI.txt is missing. {HowToAccept}");

        var difference = TextDifference.Between(File.ReadAllLines(file), actual).ToList();
        if (difference.Count > 0)
        {
            Assert.Fail($"The public surface of {package} is not the recorded one (- recorded, + built):\n" +
                        $"{string.Join('\n', difference)}\n{HowToAccept}");
        }
    }

    private static string HowToAccept =>
        $"If that is on purpose, run '{Accept}=1 dotnet test tests/Throttled.Conventions' and commit the file.";
}
