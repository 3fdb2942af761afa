using System.Globalization;

namespace Throttled.Journal.Sql;

/// <summary>Leaves payloads out that are above a limit, in the database: they do not cross the wire.</summary>
/// <param name="Length">The length in bytes of what would be read, as SQL; it must not need the payload itself.</param>
/// <param name="Most">The limit in bytes.</param>
internal sealed record PayloadLimit(string Length, int Most)
{
    /// <summary>The payload under its column's name; NULL where it is left out.</summary>
    internal string Payload(string column) => $"CASE WHEN {IsLarge} THEN NULL ELSE {column} END AS {column}";

    /// <summary>How long a payload is that is left out; NULL where none is.</summary>
    internal string LeftOut => $"CASE WHEN {IsLarge} THEN {Length} END AS left_out";

    private string IsLarge => string.Create(CultureInfo.InvariantCulture, $"{Length} > {Most}");
}
