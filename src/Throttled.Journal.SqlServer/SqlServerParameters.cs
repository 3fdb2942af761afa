using System.Data;
using System.Data.Common;
using System.Globalization;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Rows;

namespace Throttled.Journal.SqlServer;

/// <summary>Statement values with their types and sizes, so that nothing is inferred and an SQL text has one plan.</summary>
internal static class SqlServerParameters
{
    private const int MostCharacters = 4_000;

    private static readonly JsonWriterOptions Json = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping, SkipValidation = true };

    internal static SqlParameter Of(long value) => new() { SqlDbType = SqlDbType.BigInt, Value = value };

    internal static SqlParameter Of(int value) => new() { SqlDbType = SqlDbType.Int, Value = value };

    /// <summary>A text of a fixed size, whatever its length, so that a statement has one plan.</summary>
    internal static SqlParameter Of(string value) =>
        new() { SqlDbType = SqlDbType.NVarChar, Size = value.Length > MostCharacters ? -1 : MostCharacters, Value = value };

    internal static SqlParameter List(IEnumerable<long> values) => JsonOf($"[{string.Join(',', values)}]");

    internal static SqlParameter List(IEnumerable<OrderingRange> ranges) => JsonOf(
        $"[{string.Join(',', ranges.Select(range => string.Create(CultureInfo.InvariantCulture, $"[{range.First},{range.Last}]")))}]");

    internal static SqlParameter List(IEnumerable<string> values) => JsonOf(json =>
    {
        foreach (var value in values)
            json.WriteStringValue(value);
    });

    internal static SqlParameter List(IReadOnlyList<ByIdRequest> requests) => JsonOf(json =>
    {
        for (var i = 0; i < requests.Count; i++)
            Write(json, i, requests[i]);
    });

    /// <summary>Adds values under the names that the texts give them.</summary>
    internal static void Add(SqlCommand command, DbParameter[] parameters)
    {
        for (var i = 0; i < parameters.Length; i++)
        {
            parameters[i].ParameterName = FormattableString.Invariant($"@p{i + 1}");
            command.Parameters.Add(parameters[i]);
        }
    }

    private static void Write(Utf8JsonWriter json, int member, ByIdRequest request)
    {
        json.WriteStartArray();
        json.WriteNumberValue(member);
        json.WriteStringValue(request.PersistenceId);
        json.WriteNumberValue(request.Range.From);
        json.WriteNumberValue(request.Range.To);
        json.WriteNumberValue(request.Limit);
        json.WriteEndArray();
    }

    private static SqlParameter JsonOf(Action<Utf8JsonWriter> write)
    {
        using var text = new MemoryStream();
        using (var json = new Utf8JsonWriter(text, Json))
        {
            json.WriteStartArray();
            write(json);
            json.WriteEndArray();
        }
        return JsonOf(Encoding.UTF8.GetString(text.GetBuffer(), 0, (int)text.Length));
    }

    private static SqlParameter JsonOf(string text) => new() { SqlDbType = SqlDbType.NVarChar, Size = -1, Value = text };
}
