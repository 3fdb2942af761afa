namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>The layout of a journal's tables: the values of <c>table-mapping</c>.</summary>
public enum TableMapping
{
    /// <summary>The layout of Akka.Persistence.Sql.</summary>
    Default,

    /// <summary>The layout of Akka.Persistence.Sqlite.</summary>
    Sqlite,

    /// <summary>The layout of Akka.Persistence.PostgreSql.</summary>
    PostgreSql,

    /// <summary>The layout of Akka.Persistence.SqlServer.</summary>
    SqlServer,

    /// <summary>The layout of Akka.Persistence.MySql, for tables that were moved to a supported database.</summary>
    MySql,
}
