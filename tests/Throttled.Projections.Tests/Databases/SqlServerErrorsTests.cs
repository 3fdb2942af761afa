using System.Data.Common;
using System.Reflection;
using Microsoft.Data.SqlClient;
using Throttled.Projections.Databases;

namespace Throttled.Projections.Tests.Databases;

/// <summary>What SQL Server's errors mean for a read model. The numbers are those of the journal's package.</summary>
public sealed class SqlServerErrorsTests
{
    [Theory]
    // A deadlock, a lock timeout, the driver's timeout, no log space.
    [InlineData(1205, 13)]
    [InlineData(1222, 16)]
    [InlineData(-2, 11)]
    [InlineData(9002, 17)]
    // A conflict of snapshots, and one with a change of the table.
    [InlineData(3960, 16)]
    [InlineData(3961, 16)]
    [InlineData(3952, 16)]
    // A read-only database, and another session that creates one.
    [InlineData(3906, 16)]
    [InlineData(1807, 16)]
    // A lock by sp_getapplock that was not granted.
    [InlineData(50000, 13)]
    // The network, a killed session, a failover, Azure.
    [InlineData(10054, 20)]
    [InlineData(596, 21)]
    [InlineData(4060, 11)]
    [InlineData(40613, 17)]
    public void Errors_that_may_pass_are_transient(int number, byte severity)
    {
        var error = Error(number, severity);
        Assert.True(TransientErrors.Include(error));
        Assert.True(TransientErrors.Include(new AggregateException(error)));
        Assert.False(TransientErrors.AreOfStatement(error));
        Assert.Null(ReadModelDialect.PostgreSql.IsTransient(error));
        Assert.Null(ReadModelDialect.Sqlite.IsTransient(error));
    }

    [Theory]
    // A duplicate key, a null, a constraint, an overflow, a text that is too long.
    [InlineData(2627, 14, false)]
    [InlineData(2601, 14, false)]
    [InlineData(515, 16, false)]
    [InlineData(547, 16, false)]
    [InlineData(8115, 16, false)]
    [InlineData(2628, 16, false)]
    [InlineData(3930, 16, false)]
    // An error that a handler's statement or a trigger raises, and that of two rows that are one.
    [InlineData(50000, 16, false)]
    [InlineData(50001, 16, false)]
    // Syntax, names, rights, collations.
    [InlineData(102, 15, true)]
    [InlineData(207, 16, true)]
    [InlineData(208, 16, true)]
    [InlineData(229, 14, true)]
    [InlineData(468, 16, true)]
    // Columns that cannot be written, a missing table or schema, settings, a trigger.
    [InlineData(271, 16, true)]
    [InlineData(544, 16, true)]
    [InlineData(1088, 16, true)]
    [InlineData(2760, 16, true)]
    [InlineData(1934, 16, true)]
    [InlineData(334, 16, true)]
    public void Errors_of_an_event_or_a_statement_are_not_transient(int number, byte severity, bool isOfStatement)
    {
        var error = Error(number, severity);
        Assert.False(TransientErrors.Include(error));
        Assert.Equal(isOfStatement, TransientErrors.AreOfStatement(error));
    }

    [Fact]
    public void Only_errors_of_its_driver_may_be_of_a_transaction_in_SqlServer()
    {
        var dialect = ReadModelDialect.SqlServer;
        Assert.True(dialect.MayHaveThrown(new InvalidOperationException("The handler's.", Error(1205, 13))));
        Assert.False(dialect.MayHaveThrown(new Npgsql.NpgsqlException("Another database.", new IOException())));
        Assert.False(dialect.MayHaveThrown(new TimeoutException()));
        Assert.Null(dialect.IsTransient(new Npgsql.NpgsqlException("Another database.", new IOException())));
    }

    // The driver has no public constructor.
    private static DbException Error(int number, byte severity)
    {
        var errors = (SqlErrorCollection)Activator.CreateInstance(typeof(SqlErrorCollection), nonPublic: true)!;
        var constructor = typeof(SqlError).GetConstructors(BindingFlags.Instance | BindingFlags.NonPublic)
            .First(each => each.GetParameters() is [{ Name: "infoNumber" }, ..] parameters && parameters.Any(parameter => parameter.Name == "errorClass"));
        var error = constructor.Invoke([.. constructor.GetParameters().Select(parameter => parameter.Name switch
        {
            "infoNumber" => number,
            "errorClass" => severity,
            _ when parameter.ParameterType == typeof(string) => "text",
            _ => parameter.HasDefaultValue ? parameter.DefaultValue : parameter.ParameterType.IsValueType ? Activator.CreateInstance(parameter.ParameterType) : null,
        })]);
        typeof(SqlErrorCollection).GetMethod("Add", BindingFlags.Instance | BindingFlags.NonPublic)!.Invoke(errors, [error]);
        var create = typeof(SqlException).GetMethods(BindingFlags.Static | BindingFlags.NonPublic)
            .First(method => method.Name == "CreateException" && method.GetParameters() is [_, { ParameterType: var second }] && second == typeof(string));
        return (DbException)create.Invoke(null, [errors, "16.0.0"])!;
    }
}
