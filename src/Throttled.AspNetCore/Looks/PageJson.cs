using System.Text.Json;
using System.Text.Json.Serialization;

namespace Throttled.AspNetCore.Looks;

/// <summary>How the page writes and reads JSON: as <c>throttled projections status --json</c> does, on one line.</summary>
internal static class PageJson
{
    internal static JsonSerializerOptions Options { get; } = new(JsonSerializerDefaults.Web)
    {
        Converters = { new JsonStringEnumConverter(JsonNamingPolicy.CamelCase) },
        // A rate that cannot be computed must not break the page.
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals | JsonNumberHandling.AllowReadingFromString,
    };
}
