using Microsoft.Extensions.Logging;
using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;

namespace Throttled.Journal.Faults;

/// <summary>
/// Logs that a journal does not exist: once at first, and once more as a warning if that lasts. If writer and reader start together, the reader is
/// often first, and this is no problem. On the loop.
/// </summary>
internal sealed class MissingJournalWarning(JournalContext context)
{
    private static readonly TimeSpan GracePeriod = TimeSpan.FromSeconds(5);

    private TimeSpan? _since;
    private bool _warned;

    internal void Observe(MissingJournal missing, Exception error)
    {
        var now = context.Loop.Now;
        if (_since is null)
            Write(LogLevel.Information, missing, error);
        _since ??= now;
        if (_warned || now - _since < GracePeriod)
            return;
        Write(LogLevel.Warning, missing, error);
        _warned = true;
    }

    internal void Reset() => (_since, _warned) = (null, false);

    private void Write(LogLevel level, MissingJournal missing, Exception error) => context.Log.JournalMissing(level, missing.What, missing.Remedy, error);
}

/// <summary>The message for a journal that does not exist.</summary>
/// <param name="What">What is missing, as a sentence without its full stop.</param>
/// <param name="Remedy">What to do, as a sentence without its full stop.</param>
internal sealed record MissingJournal(string What, string Remedy)
{
    public override string ToString() => $"{What}. {Remedy}.";

    internal static MissingJournal Of(JournalContext context, Exception error)
    {
        var reason = context.ClauseOf(error);
        if (error is FileNotFoundException)
            return new(reason, "Create it, or correct its name in the connection string");
        if (error is ShardMarkPendingException)
            return new($"The journal is not marked as a shard yet ({reason})", "Start its writer, which marks it, or create it with its appender");
        if (error is TagTablePendingException pending)
            return new($"The tag table {pending.Table} is not there ({reason})", "Create it, correct 'TagTable', or set 'TagMode' to Csv if the tags are in a column of the journal");
        var (table, schema) = (context.Options.Tables.JournalTable, context.Options.Tables.Schema);
        var name = schema is null || !context.Database.HasSchemas ? $"\"{table}\"" : $"\"{schema}\".\"{table}\"";
        return new($"The journal table {name} is not there ({reason})", $"Create it, or correct {Settings(table, context.Database.HasSchemas)}");
    }

    private static string Settings(string table, bool hasSchemas) => hasSchemas switch
    {
        false => "'JournalTable'",
        true when table.Contains('.', StringComparison.Ordinal) => $"'JournalTable', which is {table}: the schema, before the dot, goes into 'Schema'",
        true => "'JournalTable' or 'Schema'",
    };
}
