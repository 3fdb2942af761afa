using Microsoft.Extensions.Logging;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Database;

/// <summary>What every part of one journal's engine works with.</summary>
internal sealed record JournalContext(
    JournalLoop Loop, IJournalDatabase Database, JournalOptions Options, ILogger Log, JournalMetrics Metrics, Random Random)
{
    /// <summary>Processors of this machine.</summary>
    internal required int Processors { get; init; }

    /// <summary>How the user knows this journal.</summary>
    internal required JournalNaming Naming { get; init; }

    /// <summary>Where the journal is, as in <c> from database 'app' on db:5432</c>; empty where errors of the database say it.</summary>
    internal string From => Database.Address is not { } address ? ""
        : $" from {address}{(Naming.Connection is { } setting ? $", as {setting} says" : "")}";

    /// <summary>What queries fail with; it names the shard where there are several.</summary>
    internal JournalException Failure(string message, Exception? inner = null) => new(ShardIdentity.PrefixOf(Options.Shard) + Naming.In(message), inner);

    /// <summary>What went wrong, on one line.</summary>
    internal string ReasonOf(Exception error) => Naming.In(string.Join(
        ' ', Database.ReasonOf(error).Split(['\r', '\n'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)));

    /// <summary>The same, to stand within a sentence.</summary>
    internal string ClauseOf(Exception error) => ReasonOf(error).TrimEnd().TrimEnd('.');
}
