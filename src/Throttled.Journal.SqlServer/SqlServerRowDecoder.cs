using System.Data.Common;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>Decodes the rows of one statement. Keeps one copy of a text that consecutive rows share.</summary>
internal sealed class SqlServerRowDecoder(JournalTables tables, bool leavesOut) : RowDecoder(tables, leavesOut)
{
    private string _id = "";
    private string _manifest = "";

    protected override string PersistenceId(DbDataReader row, int column) => Repeated(row.GetString(column), ref _id);

    protected override string Manifest(DbDataReader row, int column) => Repeated(row.GetString(column), ref _manifest);

    private static string Repeated(string text, ref string last) => text == last ? last : last = text;
}
