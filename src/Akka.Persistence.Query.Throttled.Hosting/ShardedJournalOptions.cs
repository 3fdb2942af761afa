using System.Text;
using Akka.Configuration;
using Akka.Hosting;
using Akka.Persistence.Hosting;
using Akka.Persistence.Query.Throttled.Hosting.Configuration;
using Akka.Persistence.Sharded;

namespace Akka.Persistence.Query.Throttled.Hosting;

/// <summary>
/// The settings of a write journal that is divided among several write plugins. <see cref="JournalOptions.AutoInitialize"/> and
/// <see cref="JournalOptions.Serializer"/> have no effect: each write plugin has its own. Not thread-safe.
/// </summary>
public sealed class ShardedJournalOptions : JournalOptions
{
    private static readonly string ClassName = $"{typeof(ShardedWriteJournal).FullName}, {typeof(ShardedWriteJournal).Assembly.GetName().Name}";

    /// <summary>Creates options for the application's default journal, <c>akka.persistence.journal.sharded-databases</c>.</summary>
    public ShardedJournalOptions()
        : this(isDefaultPlugin: true)
    {
    }

    /// <summary>Creates options.</summary>
    /// <param name="isDefaultPlugin">
    /// Whether this is the application's default journal, which <c>akka.persistence.journal.plugin</c> names.
    /// </param>
    /// <param name="identifier">
    /// The last part of the journal's id, <c>akka.persistence.journal.…</c>; <c>sharded-databases</c> by default.
    /// </param>
    public ShardedJournalOptions(bool isDefaultPlugin, string identifier = "sharded-databases")
        : base(isDefaultPlugin) => Identifier = identifier;

    /// <summary>The last part of the journal's id; <c>sharded-databases</c> by default.</summary>
    public override string Identifier { get; set; }

    /// <summary>
    /// The paths of the write plugins, as in <c>akka.persistence.journal.a</c>, in the order of the shards; from 1 to 1,024
    /// paths, empty by default. Add each plugin separately, and none as the default journal.
    /// </summary>
    public IReadOnlyList<string> Shards { get; set; } = [];

    /// <summary>
    /// The slices of persistence ids that each shard has, as in <c>0-255</c> and <c>256-1023</c>; by default an equal share. Do
    /// not change slices or <see cref="Shards"/> when the journal has events.
    /// </summary>
    public IReadOnlyList<string>? Slices { get; set; }

    /// <summary>Empty: Akka.NET's defaults for journals apply.</summary>
    protected override Config InternalDefaultConfig => Config.Empty;

    /// <summary>Writes the HOCON section.</summary>
    /// <param name="sb">Receives the text.</param>
    protected override StringBuilder Build(StringBuilder sb)
    {
        sb.AppendLine($"class = {ClassName.ToHocon()}").AppendLine($"shards = {OptionsHocon.List(Shards)}");
        if (Slices is not null)
            sb.AppendLine($"slices = {OptionsHocon.List(Slices)}");
        return base.Build(sb);
    }
}
