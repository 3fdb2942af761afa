namespace Throttled.Journal.Faults;

/// <summary>What is said of a journal that is not there.</summary>
/// <param name="What">What is missing.</param>
/// <param name="Reason">What the database said.</param>
/// <param name="Remedy">What to do, as the beginning of a sentence.</param>
internal sealed record AbsentJournal(string What, string Reason, string Remedy)
{
    internal static AbsentJournal Of(JournalContext context, Exception error)
    {
        var reason = context.ReasonOf(error).TrimEnd('.');
        if (error is FileNotFoundException)
            return new("The journal's file", reason, "Create it, or correct its name in the connection string");
        var (table, schema) = (context.Options.Tables.JournalTable, context.Options.Tables.Schema);
        var name = schema is null || !context.Database.HasSchemas ? $"\"{table}\"" : $"\"{schema}\".\"{table}\"";
        return new($"The journal table {name}", reason, $"Create it, or correct {Settings(table, context.Database.HasSchemas)}");
    }

    private static string Settings(string table, bool hasSchemas) => hasSchemas switch
    {
        false => "'JournalTable'",
        true when table.Contains('.', StringComparison.Ordinal) =>
            $"'JournalTable', which is {table}: the schema, before the dot, goes into 'Schema'",
        true => "'JournalTable' or 'Schema'",
    };
}
