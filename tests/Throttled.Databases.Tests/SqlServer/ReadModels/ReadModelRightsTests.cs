using Microsoft.SqlServer.TransactSql.ScriptDom;
using Throttled.Journal.SqlServer.Tests.Parsed;
using Schema = Throttled.Projections.Tables.Schema;

namespace Throttled.Journal.SqlServer.Tests.ReadModels;

/// <summary>The script that grants rights on the tables of projections.</summary>
public sealed class ReadModelRightsTests
{
    private const string Runner = "projection_runner", Reader = "projection_reader";

    private static readonly string[] Views = [Schema.Status, Schema.SchemaVersion];

    [Theory]
    [InlineData(SqlVersion.Sql140)]
    [InlineData(SqlVersion.Sql170)]
    public void It_is_well_formed(SqlVersion version) => Assert.Empty(Script.Read(Text, version).Errors);

    [Fact]
    public void The_runner_may_change_each_table_and_read_what_only_the_owner_changes() => Assert.Equal(
        Schema.Names.Select(name => $"{name}: {(Views.Contains(name) ? "SELECT" : "SELECT INSERT UPDATE DELETE")}").Order(StringComparer.Ordinal), RightsOf(Runner));

    [Fact]
    public void The_reader_may_read_the_status_and_no_events() => Assert.Equal(
        new[] { Schema.Projection, Schema.Lane, Schema.Status, Schema.SchemaVersion }.Select(name => $"{name}: SELECT").Order(StringComparer.Ordinal), RightsOf(Reader));

    [Fact]
    public void Each_name_in_it_exists()
    {
        using var model = ReadModelBinderTests.Tables();
        foreach (var part in Script.Of(Text).All<TSqlStatement>().Where(part => part is CreateRoleStatement or GrantStatement))
            model.AddObjects(Script.TextOf(part));
        Assert.Empty(model.Validate().Select(message => message.ToString()));
        model.AddObjects($"GRANT SELECT ON throttled_projection_lanes TO {Runner}");
        Assert.Contains(model.Validate(), message => message.ToString().Contains("throttled_projection_lanes", StringComparison.Ordinal));
    }

    private static string Text => Script.Embedded("projections-sqlserver.sql");

    private static IEnumerable<string> RightsOf(string role) =>
        from grant in Script.Of(Text).All<GrantStatement>()
        where grant.Principals.Any(principal => principal.Identifier.Value == role)
        let table = Script.TextOf(grant.SecurityTargetObject.ObjectName)
        orderby table
        select $"{table}: {string.Join(' ', grant.Permissions.SelectMany(permission => permission.Identifiers).Select(word => word.Value))}";
}
