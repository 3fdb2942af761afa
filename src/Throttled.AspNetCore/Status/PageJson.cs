using System.Text.Json;
using System.Text.Json.Serialization;

namespace Throttled.AspNetCore.Status;

/// <summary>How the page writes and reads JSON: like <c>throttled projections show --json</c>, but on one line.</summary>
internal static class PageJson
{
    internal static JsonSerializerOptions Options { get; } = new(JsonSerializerDefaults.Web)
    {
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
        // JSON has no numbers for NaN and infinity, which a rate may be. Without this, they would fail the whole read.
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals | JsonNumberHandling.AllowReadingFromString,
    };
}
