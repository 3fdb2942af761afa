using Microsoft.Extensions.Logging;
using Tail.Resume;
using Tail.Settings;
using Tail.Show;
using Throttled.Journal;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;

namespace Tail;

/// <summary>One run from the first line to the last.</summary>
internal static class TailRun
{
    /// <summary>Prints until there is no more, or somebody ends it.</summary>
    /// <exception cref="TailException">Something that whoever started it can mend.</exception>
    /// <exception cref="OutputClosedException">Nobody reads what is printed.</exception>
    internal static async Task RunAsync(TailSettings settings)
    {
        var file = settings.Resume is { } path ? new ResumeFile(path, JournalPlace.Of(settings), $"{settings.Selection}") : null;
        var after = file?.Read() ?? settings.After;
        file?.Probe();
        using var ending = new Ending();
        ClosedPipe.Watch(ending.End);
        using var log = new EngineLog();
        await using var reader = Open(settings, log);
        var printing = new Printing(settings.Limit, new Stdout(), file is null ? null : new PositionKeeper(file, TimeProvider.System));
        ILineFormat format = settings.Json ? new JsonFormat() : new TextFormat(TimeZoneInfo.Local, Width(settings));
        try
        {
            await (settings.Selection is Selection.Events events
                ? printing.RunAsync(events.Read(reader, after, settings.Current), format.Write, events.PositionOf, ending.Token)
                : printing.RunAsync(
                    settings.Current ? reader.CurrentPersistenceIds() : reader.PersistenceIds(), format.Write, static _ => 0, ending.Token));
        }
        catch (JournalException error)
        {
            throw new TailException(Remedy.For(error, settings), error);
        }
    }

    private static JournalReader Open(TailSettings settings, ILoggerFactory log)
    {
        // One query has one statement at a time. Whoever asks for what is there now does not want to wait for it all day.
        var options = new JournalOptions
        {
            Tables = settings.Tables,
            MaxConcurrentQueries = 1,
            CurrentQueryTimeout = TimeSpan.FromSeconds(30),
            RequireTable = settings.Current,
            LoggerFactory = log,
        };
        try
        {
            return settings.Database == "sqlite"
                ? SqliteJournal.OpenReader(settings.Connection, options)
                : PostgreSqlJournal.OpenReader(settings.Connection, options);
        }
        catch (ArgumentException error)
        {
            throw TailException.OfConnection(error);
        }
    }

    // A file or a program gets whole lines.
    private static Func<int?> Width(TailSettings settings) => settings.Full || Console.IsOutputRedirected
        ? () => null
        : () => Console.WindowWidth is > 1 and var width ? width : null;
}
