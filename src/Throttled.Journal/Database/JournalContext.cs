using Microsoft.Extensions.Logging;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Database;

/// <summary>What all parts of one journal's engine share.</summary>
internal sealed record JournalContext(JournalLoop Loop, IJournalDatabase Database, JournalOptions Options, ILogger Log, JournalMetrics Metrics, Random Random)
{
    internal required int Processors { get; init; }

    internal required JournalNaming Naming { get; init; }

    /// <summary>The location of the journal, as in <c> from database 'app' on db:5432</c>; empty if the database's errors already name it.</summary>
    internal string From => Database.Address is not { } address ? ""
        : $" from {address}{(Naming.Connection is { } setting ? $", as {setting} says" : "")}";

    /// <summary>The exception for queries. It names the shard if there are several.</summary>
    internal JournalException Failure(string message, Exception? inner = null) => new(ShardIdentity.PrefixOf(Options.Shard) + Naming.In(message), inner);

    /// <summary>The reason of an error, on one line.</summary>
    internal string ReasonOf(Exception error) => Naming.In(string.Join(
        ' ', Database.ReasonOf(error).Split(['\r', '\n'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)));

    /// <summary>The same without a final full stop, for use inside a sentence.</summary>
    internal string ClauseOf(Exception error) => ReasonOf(error).TrimEnd().TrimEnd('.');
}
