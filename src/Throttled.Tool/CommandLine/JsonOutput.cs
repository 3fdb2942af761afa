using System.CommandLine;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;

namespace Throttled.Tool.CommandLine;

/// <summary>The option <c>--json</c>, and the form of what it prints: one indented value. Only <c>tail</c> prints one object per line.</summary>
internal static class JsonOutput
{
    internal static readonly Option<bool> Option = new("--json") { Description = "Print JSON, and nothing else" };

    private static readonly JsonSerializerOptions Format = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
    };

    internal static bool IsWanted(ParseResult parsed) => parsed.GetValue(Option);

    internal static Task WriteAsync(ParseResult parsed, object value) =>
        parsed.InvocationConfiguration.Output.WriteLineAsync(JsonSerializer.Serialize(value, Format));
}
