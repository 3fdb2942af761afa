using SQLitePCL;

namespace Throttled.Journal.Sqlite;

/// <summary>The native library, loaded once per process.</summary>
internal static class Batteries
{
    static Batteries() => Batteries_V2.Init();

    /// <summary>Returns when it is loaded.</summary>
    internal static void Load()
    {
    }
}
