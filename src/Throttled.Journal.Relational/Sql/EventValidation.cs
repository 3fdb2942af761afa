using System.Text;

namespace Throttled.Journal.Relational;

/// <summary>Refuses events that could not be read again. Called before any event is written.</summary>
internal sealed class EventValidation(JournalTables tables)
{
    /// <exception cref="ArgumentException">A field of an event cannot be stored.</exception>
    internal void Check(IEnumerable<JournalEvent> events)
    {
        var place = 0;
        foreach (var each in events)
        {
            place++;
            if (each is null)
                throw new ArgumentException(FormattableString.Invariant($"Event {place} is null; leave it out."));
            if (Fault(each.PersistenceId) is { } fault)
                throw Refused(nameof(each.PersistenceId), each.PersistenceId, fault, each, place);
            if (each.SequenceNumber < 1)
                throw new ArgumentException(FormattableString.Invariant(
                    $"'SequenceNumber' of event {place} ({Shown(each.PersistenceId)}) is {each.SequenceNumber}; it must be at least 1."));
            foreach (var tag in each.Tags)
                CheckTag(tag, each, place);
        }
    }

    private void CheckTag(string tag, JournalEvent of, int place)
    {
        if (Fault(tag) is { } fault)
            throw Refused(nameof(of.Tags), tag, fault, of, place);
        if (tables.TagMode == TagMode.Csv && tag.Contains(tables.TagSeparator, StringComparison.Ordinal))
            throw Refused(
                nameof(of.Tags), tag, $"must not contain '{tables.TagSeparator}', which separates tags. Use another tag, or TagMode.TagTable", of, place);
    }

    private static string? Fault(string? text) => text switch
    {
        null or "" => "must not be empty",
        _ when text.Contains('\0', StringComparison.Ordinal) => "must not contain a NUL character, which no database can hold",
        _ when !OptionCheck.IsWellFormed(text) => "must not contain half of a surrogate pair, which no database can hold",
        _ => null,
    };

    private static ArgumentException Refused(string field, string? value, string rule, JournalEvent of, int place) => new(
        FormattableString.Invariant($"'{field}' of event {place} ({Shown(of.PersistenceId)} {of.SequenceNumber}) ")
            + $"{(field == nameof(of.Tags) ? "has" : "is")} {Shown(value)}; it {rule}.");

    // Characters that cannot be displayed are escaped, so the message shows what is wrong.
    private static string Shown(string? text)
    {
        var shown = new StringBuilder("\"");
        foreach (var each in text ?? "")
            shown.Append(each == '\0' || (char.IsSurrogate(each) && !OptionCheck.IsWellFormed(text!)) ? $"\\u{(int)each:x4}" : each.ToString());
        return shown.Append('"').ToString();
    }
}
