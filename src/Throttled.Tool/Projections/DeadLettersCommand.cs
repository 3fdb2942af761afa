using System.CommandLine;
using Spectre.Console;
using Throttled.Projections;
using Throttled.Tool.CommandLine;
using Throttled.Tool.Tail;
using static System.FormattableString;

namespace Throttled.Tool.Projections;

/// <summary>The command <c>dead-letters</c>: events that failed, and those that queue behind them.</summary>
internal static class DeadLettersCommand
{
    private const string About = """
        Shows, retries and discards the dead letters of a projection: see docs/projections.md.

        An event that failed is kept with its error. Later events of its persistence id queue behind it.
        A command is stored, and a process that runs the projection executes it. The verb waits for that.
        Ctrl+C ends only the wait: the command will be executed later.
        Exit codes: 0 done, or printed; 2 refused, or failed; 130 interrupted.
        """;

    private const int Most = 100_000;

    private static readonly Option<string?> Version = new("--read-model-version") { Description = "The version; the live one by default", HelpName = "NAME" };
    private static readonly Option<int> Limit = NumberOption.Create("--limit", 1_000, (1, Most), "How many persistence ids to list at most; if one is given, how many of its dead letters");
    private static readonly Option<bool> All = new("--all") { Description = "All dead letters" };

    internal static Command Create() => new("dead-letters", About) { List(), Show(), Retry(), Discard() };

    private static Command List()
    {
        var id = Id("Only the dead letters of one persistence id, each on its own line");
        return Verb.Reading(
            "list", "Prints each persistence id that has dead letters, with the event that failed.", [id, Version, Limit, PayloadDecoder.Option],
            call => call.Value(id) is { } given ? ListEventsAsync(call, given) : ListIdsAsync(call));
    }

    private static async Task ListIdsAsync(VerbCall call)
    {
        // One more than wanted: it shows that some are left out.
        var found = await call.Control.FirstDeadLettersAsync(call.Name, call.Value(Version), call.Value(Limit) + 1, call.Cancellation);
        await WriteAsync(
            call, "persistence ids", found, ["behind it"], (each, decoder) => DeadLetterText.Json(each.DeadLetter, decoder, each.Behind),
            each => [.. Cells(each.DeadLetter), Tables.Right(Invariant($"{each.Behind:N0}")), Error(each.DeadLetter)]);
    }

    private static async Task ListEventsAsync(VerbCall call, string id)
    {
        var found = await call.Control.DeadLettersAsync(call.Name, id, call.Value(Version), call.Value(Limit) + 1, call.Cancellation);
        await WriteAsync(call, "dead letters", found, [], (each, decoder) => DeadLetterText.Json(each, decoder), each => [.. Cells(each), Error(each)]);
    }

    private static async Task WriteAsync<T>(
        VerbCall call, string what, IReadOnlyList<T> found, string[] titles, Func<T, PayloadDecoder?, object> json, Func<T, IEnumerable<Text>> row)
    {
        var (limit, decoder) = (call.Value(Limit), PayloadDecoder.Read(call.Parsed));
        if (call.IsJson)
        {
            await call.WriteJsonAsync(found.Take(limit).Select(each => json(each, decoder)));
        }
        else if (found.Count == 0)
        {
            await call.Output.WriteLineAsync("there are no dead letters");
        }
        else
        {
            var table = Tables.Of(["persistence id", "event", "ordering", "manifest", "attempts", "since (UTC)", .. titles, "error"]);
            foreach (var each in found.Take(limit))
                table.AddRow(row(each));
            Tables.Open(call.Output).Write(table);
        }
        if (found.Count > limit)
            await (call.IsJson ? call.Errors : call.Output).WriteLineAsync(Invariant($"Only the first {limit:N0} {what} are listed; there are more. Raise --limit."));
    }

    private static IEnumerable<Text> Cells(DeadLetter one) =>
    [
        new(Printable.OfLine(one.Event.PersistenceId)),
        Tables.Right(Invariant($"{one.Event.SequenceNumber}")),
        Tables.Right(Invariant($"{one.Event.Ordering}")),
        new(Printable.OfLine(one.Event.Manifest)),
        Tables.Right(Invariant($"{one.Attempts}")),
        new(Invariant($"{one.DeadLetteredAt.UtcDateTime:yyyy-MM-dd HH:mm:ss}")),
    ];

    private static Text Error(DeadLetter one) =>
        new(one.Error is { } error ? Printable.OfLine(Tables.FirstLine(error)) : "queues behind the one that failed");

    private static Command Show()
    {
        var id = new Argument<string>("id") { Description = "The persistence id" };
        var number = Number("for the event that failed");
        return Verb.Reading("show", "Prints a dead letter with its payload and exception, and what queues behind it.", [id, number, Version, PayloadDecoder.Option], async call =>
        {
            var decoder = PayloadDecoder.Read(call.Parsed);
            var (found, numbers) = await call.Control.DeadLetterQueueAsync(call.Name, call.Value(id)!, call.Value(number), call.Value(Version), call.Cancellation);
            var one = found ?? throw new CommandException(call.Value(number) is { } wanted && numbers.Count > 0
                ? Invariant($"There is no dead letter {wanted} of '{call.Value(id)}'; there are {numbers.Count}, from {numbers[0]} to {numbers[^1]}.")
                : $"There is no dead letter of '{call.Value(id)}'. See 'throttled dead-letters list {call.Name}'.");
            long[] behind = [.. numbers.Where(each => each > one.Event.SequenceNumber)];
            if (call.IsJson)
                await call.WriteJsonAsync(DeadLetterText.Json(one, behind, decoder));
            else
                foreach (var line in DeadLetterText.Lines(one, behind, decoder))
                    await call.Output.WriteLineAsync(line);
        });
    }

    private static Command Retry()
    {
        var (id, number) = (Id("The persistence id"), Number("for all of the persistence id"));
        return Verb.Changing("retry", "Handles dead letters again, in their order: one event, all of a persistence id, or all.", [id, number, Version, All], async call =>
            Named(call, id, "retry") is { } given
                ? await call.Control.RetryAsync(call.Name, given, call.Value(number), call.Value(Version), call.Cancellation)
                : $"{Versions.Count(await call.Control.RetryAllAsync(call.Name, call.Value(Version), call.Cancellation), "persistence id")} tried again");
    }

    private static Command Discard()
    {
        var (id, number) = (Id("The persistence id"), Number("for all of the persistence id"));
        return Verb.Removing(
            "discard", "Removes dead letters without handling them: one event, all of a persistence id, or all.", [id, number, Version, All],
            async call => Named(call, id, "discard") is { } given
                ? WouldDiscard((await call.Control.DeadLetterQueueAsync(call.Name, given, call.Value(number), call.Value(Version), call.Cancellation)).Numbers, given, call.Value(number))
                : WouldDiscardAll(await Versions.FindAsync(call, call.Value(Version))),
            async call => Named(call, id, "discard") is { } given
                ? await call.Control.DiscardAsync(call.Name, given, call.Value(number), call.Value(Version), call.Cancellation)
                : $"the dead letters of {Versions.Count(await call.Control.DiscardAllAsync(call.Name, call.Value(Version), call.Cancellation), "persistence id")} were discarded");
    }

    // The status has their number, without their payloads.
    private static string WouldDiscardAll(ProjectionStatus one) => one.DeadLetters > 0
        ? $"remove {Versions.Count(one.DeadLetters, "dead letter")} of all persistence ids of '{one.Version}': the read model never gets these events."
        : throw new CommandException("There is no dead letter to discard.");

    private static string WouldDiscard(IReadOnlyList<long> numbers, string id, long? number)
    {
        var count = number is null ? numbers.Count : numbers.Count(each => each == number);
        return count == 0
            ? throw new CommandException($"There is no dead letter of '{id}'{(number is null ? "" : Invariant($" with the number {number}"))} to discard.")
            : $"remove {Versions.Count(count, "dead letter")} of '{id}': the read model never gets these events.";
    }

    // Null for all.
    private static string? Named(VerbCall call, Argument<string?> id, string verb) => (call.Value(id), call.Value(All)) switch
    {
        ({ } given, false) => given,
        (null, true) => null,
        ({ } given, true) => throw new CommandException($"--all is given, and the persistence id '{given}' too; they exclude each other. Leave one out."),
        _ => throw new CommandException($"Nothing says what to {verb}. Give a persistence id, or --all."),
    };

    private static Argument<string?> Id(string description) => new("id") { Description = description, Arity = ArgumentArity.ZeroOrOne };

    private static Argument<long?> Number(string without) =>
        NumberOption.Argument("event", without, (1, NumberOption.Any), $"The event's sequence number; leave it out {without}");
}
