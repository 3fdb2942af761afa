using Throttled.Journal.PostgreSql;
using static System.FormattableString;

namespace Throttled.Tool.Doctor;

/// <summary>The number of processes and their permits, as the options give them.</summary>
internal sealed record PlannedReaders(int Processes, int Permits);

/// <summary>A limit on the connections of the login.</summary>
/// <param name="Most">How many connections it allows.</param>
/// <param name="Kept">How many of them must stay free for operators. An operator has another login, so the limit of a login keeps none.</param>
/// <param name="Name">Its name, within a sentence.</param>
/// <param name="Raise">How to raise it to a number.</param>
internal sealed record ConnectionLimit(int Most, int Kept, string Name, Func<int, string> Raise)
{
    internal int Free => Most - Kept;
}

/// <summary>All limits on the connections of the login. The smallest one counts.</summary>
internal sealed class ConnectionLimits
{
    // The poll and the listener of a reader.
    private const int BesidePermits = 2;
    private const int ForOperators = 5;

    private readonly IReadOnlyList<ConnectionLimit> _all;

    private ConnectionLimits(IEnumerable<ConnectionLimit> all) => _all = [.. all];

    internal ConnectionLimit Smallest => _all.MinBy(each => each.Free)!;

    // https://www.postgresql.org/docs/current/sql-createrole.html: a negative number is no limit.
    internal static ConnectionLimits Of(PostgreSqlFacts facts)
    {
        var dialect = new PostgreSqlDialect();
        ConnectionLimit[] all =
        [
            new(facts.Usable, ForOperators, "max_connections", _ => "raise max_connections"),
            new(facts.RoleLimit, 0, $"CONNECTION LIMIT of the role '{facts.User}'", most => Invariant($"run ALTER ROLE {dialect.Quote(facts.User)} CONNECTION LIMIT {most}")),
            new(facts.DatabaseLimit, ForOperators, $"CONNECTION LIMIT of the database '{facts.Database}'", most => Invariant($"run ALTER DATABASE {dialect.Quote(facts.Database)} CONNECTION LIMIT {most}")),
        ];
        return new(all.Where(each => each.Most >= 0));
    }

    /// <summary>The connections that readers open.</summary>
    internal static int Needed(PlannedReaders planned) => planned.Processes * (planned.Permits + BesidePermits);

    /// <summary>How many permits each process may have; below 1 if there are too many processes.</summary>
    internal int Permits(int processes) => (Smallest.Free / processes) - BesidePermits;

    /// <summary>What to do if <see cref="Permits"/> is below the permits of these readers.</summary>
    internal string Remedy(PlannedReaders planned)
    {
        var (fits, needed) = (Permits(planned.Processes), Needed(planned));
        var raise = string.Join(" and ", _all.Where(each => each.Free < needed).Select(each => each.Raise(needed + each.Kept)));
        var less = fits >= 1 ? Invariant($"Set MaxConcurrentQueries (max-concurrent-queries) to at most {fits}, and less if writers use this login") : "Start fewer processes";
        return $"{less}; or {raise}: docs/operating/sizing.md";
    }
}
