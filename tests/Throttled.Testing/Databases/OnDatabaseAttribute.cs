using System.Reflection;
using Xunit.Sdk;

namespace Throttled.Testing;

/// <summary>Runs a theory on a database: its first argument is the database's name. It is skipped, visibly, if the database is not here.</summary>
/// <param name="name">The name.</param>
/// <param name="skip">Why it is skipped; null if it is not.</param>
/// <param name="first">The first value of a second argument.</param>
/// <param name="last">The last one; below <paramref name="first"/> if the theory has no second argument.</param>
[AttributeUsage(AttributeTargets.Method)]
public abstract class OnDatabaseAttribute(string name, string? skip, int first, int last) : DataAttribute
{
    /// <inheritdoc/>
    public override string? Skip { get; set; } = skip;

    /// <inheritdoc/>
    public override IEnumerable<object[]> GetData(MethodInfo testMethod) =>
        last < first ? [[name]] : [.. Enumerable.Range(first, last - first + 1).Select(number => new object[] { name, number })];
}

/// <summary>Runs a theory on SQLite.</summary>
public sealed class OnSqliteAttribute(int first = 1, int last = 0) : OnDatabaseAttribute(Name, null, first, last)
{
    internal const string Name = "SQLite";
}

/// <summary>Runs a theory on PostgreSQL, if its server is on this machine.</summary>
public sealed class OnPostgreSqlAttribute(int first = 1, int last = 0) : OnDatabaseAttribute(Name, PostgreSqlTests.SkipReason, first, last)
{
    internal const string Name = "PostgreSQL";
}

/// <summary>Runs a theory on SQL Server, if the environment names a server or an image.</summary>
public sealed class OnSqlServerAttribute(int first = 1, int last = 0) : OnDatabaseAttribute(Name, SqlServerTests.SkipReason, first, last)
{
    internal const string Name = "SQL Server";
}
