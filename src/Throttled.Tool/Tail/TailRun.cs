using Microsoft.Extensions.Logging;
using Throttled.Journal.Database;
using Throttled.Journal.PostgreSql;
using Throttled.Journal.Sqlite;
using Throttled.Journal.SqlServer;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

internal static class TailRun
{
    // The messages about a rewind, and about an error that waiting does not cure: docs/operating/log.md. The error at the end has the same text, and
    // what to do.
    private static readonly int[] Repeated = [18, 23];

    /// <summary>Prints until the query ends, or until the user ends the run.</summary>
    /// <exception cref="CommandException">An error that the user can correct.</exception>
    /// <exception cref="OutputClosedException">The reader has closed the output.</exception>
    internal static async Task RunAsync(TailSettings settings)
    {
        var file = settings.Resume is { } path ? new ResumeFile(path, JournalPlace.Of(settings), $"{settings.Selection}") : null;
        var after = file?.Read() ?? settings.After;
        file?.Probe();
        using var ending = new Ending();
        ClosedPipe.Watch(ending.End);
        using var log = new ConsoleLog(line => Console.Error.WriteLine(OptionNames.In(line)), except: Repeated);
        await using var reader = Open(settings, log);
        var printing = new Printing(settings.Limit, new Stdout(), file is null ? null : new PositionKeeper(file, TimeProvider.System));
        ILineFormat format = settings.Json ? new JsonFormat(settings.Decoder) : new TextFormat(TimeZoneInfo.Local, Width(settings), settings.Decoder);
        try
        {
            await (settings.Selection is Selection.Events events
                ? printing.RunAsync(events.Read(reader, after, settings.Current), format.Write, events.PositionOf, ending.Token)
                : printing.RunAsync(
                    settings.Current ? reader.CurrentPersistenceIds() : reader.PersistenceIds(), format.Write, static _ => 0, ending.Token));
        }
        catch (JournalException error)
        {
            throw new CommandException(Remedy.For(error, settings) + await HintAsync(error, settings, ending.Token), error);
        }
    }

    /// <summary>Which journal tables the database has, if the query failed because its table is missing. Empty for other errors, and if the user ends the run.</summary>
    internal static async Task<string> HintAsync(JournalException error, TailSettings settings, CancellationToken ending)
    {
        if (error.InnerException is not { } cause || Classify(cause, settings.Database) != FaultKind.MissingTable)
            return "";
        try
        {
            return await KnownTables.HintAsync(settings.Database, settings.Connection, settings.Tables, ending);
        }
        catch (OperationCanceledException) when (ending.IsCancellationRequested)
        {
            return "";
        }
    }

    private static FaultKind Classify(Exception cause, string database) => database switch
    {
        OptionText.Sqlite => SqliteFaults.Classify(cause),
        OptionText.Postgres => PostgreSqlFaults.Classify(cause),
        _ => SqlServerFaults.Classify(cause),
    };

    private static JournalReader Open(TailSettings settings, ILoggerFactory log)
    {
        // One query runs one statement at a time. With --current, a user does not want to wait for a database without limit.
        var options = settings.Options with
        {
            MaxConcurrentQueries = 1,
            CurrentQueryTimeout = TimeSpan.FromSeconds(30),
            RequireTable = settings.RequireTable,
            LoggerFactory = log,
        };
        return CommandException.OfConnection(
            () => settings.Database switch
            {
                OptionText.Sqlite => SqliteJournal.OpenReader(settings.Connection, options),
                OptionText.Postgres => PostgreSqlJournal.OpenReader(settings.Connection, options),
                _ => SqlServerJournal.OpenReader(settings.Connection, options),
            },
            settings.Source);
    }

    // A file or a program gets whole lines.
    private static Func<int?> Width(TailSettings settings) => settings.Full || Console.IsOutputRedirected
        ? () => null
        : () => Console.WindowWidth is > 1 and var width ? width : null;
}
