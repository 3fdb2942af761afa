using Akka.Configuration;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>Sections of which a setting has the path.</summary>
internal static class NamedSection
{
    /// <param name="all">The whole configuration.</param>
    /// <param name="path">The path, as somebody wrote it.</param>
    /// <returns>Whether there is a section.</returns>
    internal static bool IsThere(Config all, string path)
    {
        try
        {
            return path.Length > 0 && all.GetValue(path) is { } value && value.IsObject();
        }
        catch (ArgumentException)
        {
            // Akka.NET cannot take it apart: a quote in it is not closed.
            return false;
        }
    }
}
