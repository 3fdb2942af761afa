using Throttled.Journal.Sharding;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Faults;

/// <summary>What is said of a journal that is not there.</summary>
/// <param name="What">What is not there, as the beginning of a sentence.</param>
/// <param name="Remedy">What to do, as the beginning of another.</param>
internal sealed record AbsentJournal(string What, string Remedy)
{
    public override string ToString() => $"{What}. {Remedy}.";

    internal static AbsentJournal Of(JournalContext context, Exception error)
    {
        var reason = context.ClauseOf(error);
        if (error is FileNotFoundException)
            return new(reason, "Create it, or correct its name in the connection string");
        if (error is AwaitedStampException)
            return new($"The journal is not marked as a shard yet ({reason})", "Start its writer, which marks it, or create it with its appender");
        if (error is AwaitedTagTableException awaited)
            return new($"The tag table {awaited.Table} is not there ({reason})", "Create it, correct 'TagTable', or set 'TagMode' to Csv where the tags stand in a column of the journal");
        var (table, schema) = (context.Options.Tables.JournalTable, context.Options.Tables.Schema);
        var name = schema is null || !context.Database.HasSchemas ? $"\"{table}\"" : $"\"{schema}\".\"{table}\"";
        return new($"The journal table {name} is not there ({reason})", $"Create it, or correct {Settings(table, context.Database.HasSchemas)}");
    }

    private static string Settings(string table, bool hasSchemas) => hasSchemas switch
    {
        false => "'JournalTable'",
        true when table.Contains('.', StringComparison.Ordinal) =>
            $"'JournalTable', which is {table}: the schema, before the dot, goes into 'Schema'",
        true => "'JournalTable' or 'Schema'",
    };
}
