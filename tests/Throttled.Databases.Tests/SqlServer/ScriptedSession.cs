using System.Data;
using System.Data.Common;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer.Tests;

/// <summary>A session without a server: each text has the rows that the test gave it, or none. Remembers what ran.</summary>
internal sealed class ScriptedSession : IAdoSession
{
    private readonly Dictionary<string, object?[][]> _rows = [];

    public string? Backend => "51/now";

    public string? Server => "server/start";

    public bool IsBroken => false;

    /// <summary>Each statement that ran, with its values.</summary>
    internal List<(string Text, object?[] Values)> Ran { get; } = [];

    internal ScriptedSession Answer(string text, params object?[][] rows)
    {
        _rows[text] = rows;
        return this;
    }

    public Task ReadAsync(
        string text, Func<DbDataReader, bool> take, CancellationToken cancellation, params DbParameter[] parameters)
    {
        Ran.Add((text, [.. parameters.Select(parameter => parameter.Value)]));
        using var table = new DataTable();
        var rows = _rows.GetValueOrDefault(text, []);
        for (var i = 0; i < (rows.Length == 0 ? 0 : rows[0].Length); i++)
            table.Columns.Add(null, typeof(object));
        foreach (var row in rows)
            table.Rows.Add(row);
        using var reader = table.CreateDataReader();
        while (reader.Read() && take(reader))
        {
            // The next row.
        }
        return Task.CompletedTask;
    }
}
