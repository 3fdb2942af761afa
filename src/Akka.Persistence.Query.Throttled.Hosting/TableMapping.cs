namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>Which layout a journal's tables have: the values of <c>table-mapping</c>.</summary>
public enum TableMapping
{
    /// <summary>That of Akka.Persistence.Sql.</summary>
    Default,

    /// <summary>That of Akka.Persistence.Sqlite.</summary>
    Sqlite,

    /// <summary>That of Akka.Persistence.PostgreSql.</summary>
    PostgreSql,

    /// <summary>That of Akka.Persistence.SqlServer.</summary>
    SqlServer,

    /// <summary>That of Akka.Persistence.MySql, for tables that were moved to a database that can be read.</summary>
    MySql,
}
