namespace Throttled.Journal.PostgreSql;

/// <summary>The server is too old.</summary>
internal sealed class UnsupportedServerException(Version found) : Exception($"The server is PostgreSQL {found}; it must be at least {Least.Major}. Upgrade it.")
{
    // The first with plan_cache_mode: https://www.postgresql.org/docs/12/release-12.html
    private static readonly Version Least = new(12, 0);

    /// <exception cref="UnsupportedServerException">The version is older than the oldest supported one.</exception>
    internal static void ThrowIfOlder(Version found)
    {
        if (found < Least)
            throw new UnsupportedServerException(found);
    }
}
