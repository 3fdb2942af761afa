using System.Text;

namespace Throttled.Projections.Store;

/// <summary>Texts that people read, and that a handler's exception may have made of anything.</summary>
internal static class StoredText
{
    private const int Most = 8000;

    /// <summary>
    /// The text as every database takes it, and not longer than anyone reads: a text that cannot be stored would keep its event from being stored as a dead letter.
    /// </summary>
    // PostgreSQL has no zero character, and half a surrogate pair is no UTF-8: https://www.postgresql.org/docs/current/datatype-character.html
    internal static string? Of(string? text) => text is null
        ? null
        : Encoding.UTF8.GetString(Encoding.UTF8.GetBytes((text.Length > Most ? $"{text[..Most]}…" : text).Replace('\0', '\uFFFD')));
}
