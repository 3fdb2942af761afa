namespace Throttled.Testing;

/// <summary>The working copy from which the running assembly was built.</summary>
public static class WorkingCopy
{
    private const string Filter = "Throttled.slnf";

    /// <summary>Its folder.</summary>
    public static string Root { get; } = Find();

    private static string Find()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (folder is not null && !File.Exists(Path.Combine(folder.FullName, Filter)))
            folder = folder.Parent;
        return folder?.FullName ?? throw new InvalidOperationException($"No folder above {AppContext.BaseDirectory} has {Filter}. Run this from the working copy in which it was built.");
    }
}
