using System.Text.Json.Serialization;

namespace Throttled.Projections.Tests.Json
{
    internal sealed record Opened(string Owner, int Limit);

    internal sealed record Closed;

    internal sealed record Wrapped<T>(T Value);

    [JsonSerializable(typeof(Opened))]
    internal sealed partial class EventsContext : JsonSerializerContext;
}

namespace Throttled.Projections.Tests.Json.Elsewhere
{
    internal sealed record Opened;
}
