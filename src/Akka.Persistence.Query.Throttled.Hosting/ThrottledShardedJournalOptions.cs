using System.Text;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Hosting;
using Akka.Persistence.Query.Throttled.Hosting.Configuration;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>
/// The settings of a write journal that is divided among several write plugins. <see cref="JournalOptions.AutoInitialize"/> and <see cref="JournalOptions.Serializer"/> mean nothing here: each
/// write plugin has its own. Not thread-safe.
/// </summary>
public sealed class ThrottledShardedJournalOptions : JournalOptions
{
    private static readonly string ClassName = $"{typeof(ShardedWriteJournal).FullName}, {typeof(ShardedWriteJournal).Assembly.GetName().Name}";

    /// <summary>Those of the application's journal, <c>akka.persistence.journal.throttled-sharded</c>.</summary>
    public ThrottledShardedJournalOptions()
        : this(isDefaultPlugin: true)
    {
    }

    /// <param name="isDefaultPlugin">Whether it is the application's journal: the one that <c>akka.persistence.journal.plugin</c> names.</param>
    /// <param name="identifier">The last part of its id, <c>akka.persistence.journal.…</c>.</param>
    public ThrottledShardedJournalOptions(bool isDefaultPlugin, string identifier = "throttled-sharded")
        : base(isDefaultPlugin) => Identifier = identifier;

    /// <summary>What the journal is called: the last part of its id; <c>throttled-sharded</c> by default.</summary>
    public override string Identifier { get; set; }

    /// <summary>
    /// The paths of the write plugins, as in <c>akka.persistence.journal.a</c>, in the order of the shards; from 1 to 1,024. They are added each by
    /// itself, and none of them as the default one.
    /// </summary>
    public IReadOnlyList<string> Shards { get; set; } = [];

    /// <summary>
    /// The slices of persistence ids that each shard has, as in <c>0-255</c> and <c>256-1023</c>; an equal share for each by default. Neither these nor
    /// <see cref="Shards"/> may change once there are events.
    /// </summary>
    public IReadOnlyList<string>? Slices { get; set; }

    /// <summary>Nothing: what is not set is as Akka.NET has it for every journal.</summary>
    protected override Config InternalDefaultConfig => Config.Empty;

    /// <summary>Writes the section.</summary>
    /// <param name="sb">What is written so far.</param>
    protected override StringBuilder Build(StringBuilder sb)
    {
        sb.AppendLine($"class = {ClassName.ToHocon()}").AppendLine($"shards = {OptionsHocon.List(Shards)}");
        if (Slices is not null)
            sb.AppendLine($"slices = {OptionsHocon.List(Slices)}");
        return base.Build(sb);
    }
}
