namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>How the payloads of a journal are stored.</summary>
/// <param name="PluginId">The path of the read journal's section.</param>
/// <param name="WritePlugin">The path of the write plugin; null where there is none.</param>
/// <param name="Serializer">The name of the serializer of rows without a serializer id; null for that of their type.</param>
/// <param name="IsStoredAsJson">Whether such rows are JSON text as the older PostgreSQL plugin wrote it.</param>
internal sealed record PayloadSettings(string PluginId, string? WritePlugin, string? Serializer, bool IsStoredAsJson);
