using SQLitePCL;

namespace Throttled.Journal.Sqlite;

/// <summary>The native library, loaded once per process.</summary>
internal static class Batteries
{
    static Batteries() => Batteries_V2.Init();

    /// <summary>Runs the static constructor, which loads the library.</summary>
    internal static void Load()
    {
    }
}
