using Microsoft.Extensions.Logging;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Loop;
using Throttled.Journal.Sharding;
using Throttled.Journal.Sql;

namespace Throttled.Journal;

/// <summary>What every part of one journal's engine works with.</summary>
internal sealed record JournalContext(
    JournalLoop Loop, IJournalDatabase Database, JournalOptions Options, ILogger Log, JournalMetrics Metrics, Random Random)
{
    /// <summary>Processors of this machine.</summary>
    internal required int Processors { get; init; }

    /// <summary>What queries fail with; it names the shard where there are several.</summary>
    internal JournalException Failure(string message, Exception? inner = null) => new(ShardPlace.PrefixOf(Options.Shard) + message, inner);

    /// <summary>What went wrong, on one line.</summary>
    internal string ReasonOf(Exception error) => Database.ReasonOf(error).ReplaceLineEndings(" ");

    /// <summary>The same, to stand within a sentence.</summary>
    internal string ClauseOf(Exception error) => ReasonOf(error).TrimEnd().TrimEnd('.');
}
