namespace Throttled.Journal.Sqlite.Moving;

/// <summary>The one path of a file that can be named by several.</summary>
internal static class FilePath
{
    /// <summary>Absolute, and behind all links. The file need not be there.</summary>
    /// <exception cref="IOException">Its links lead in a circle.</exception>
    internal static string Of(string file)
    {
        var full = Path.GetFullPath(file);
        if (Path.GetDirectoryName(full) is not { } directory)
            return full;
        var place = Path.Combine(Of(directory), Path.GetFileName(full));
        FileSystemInfo info = Directory.Exists(place) ? new DirectoryInfo(place) : new FileInfo(place);
        return info.LinkTarget is null ? place : Of(info.ResolveLinkTarget(returnFinalTarget: true)!.FullName);
    }
}
