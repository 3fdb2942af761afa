using Akka.Actor;
using Akka.Configuration;
using Akka.Serialization;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>Reads the settings of a read journal from HOCON. Their defaults are only in <c>reference.conf</c>.</summary>
internal static class SettingsFile
{
    private const string Resource = "Akka.Persistence.Query.Throttled.reference.conf";

    /// <summary>All settings with their defaults, at their path in a configuration.</summary>
    internal static Config Reference { get; } = ConfigurationFactory.FromResource(Resource, typeof(SettingsFile).Assembly);

    /// <summary>The same settings without the path.</summary>
    internal static Config Defaults { get; } = Reference.GetConfig(ThrottledReadJournal.Identifier);

    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    /// <returns>The settings of each shard; those of one database if the journal is not divided.</returns>
    internal static IReadOnlyList<JournalSettings> Read(ActorSystem system, Config section)
    {
        var all = system.Settings.Config;
        var own = new SettingReader(PluginPath.Of(all, section) ?? ThrottledReadJournal.Identifier, section.WithFallback(Defaults));
        var writer = WritePlugin.PathOf(all, own);
        var given = system.Settings.Setup.Get<ThrottledReadJournalSetup>().Value?.DatabasesOf(own.Path) ?? [];
        var shards = new ReadShards(own, given, writer, WritePlugin.ShardsOf(all, writer)) { OfWritePlugin = path => GivenDatabase.OfWritePlugin(system, path) };
        var databases = shards.In(all, Defaults);
        var unused = UnusedSettings.Of(section, Defaults).In(all, own.Path);
        if (own.Bool("strict"))
            unused.Refuse(own.Path);
        return [.. databases.Select(each => Read(each) with { Serializer = Serializer(each.Settings, system), Unused = unused })];
    }

    /// <summary>
    /// How payloads are stored, for callers that read the journal in another way. Opens no connection. The section at the path
    /// must exist, unless the path is the default one.
    /// </summary>
    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    /// <returns>The shard map and the settings of each shard if the write plugin is sharded; otherwise null and one entry.</returns>
    internal static (ShardMap? Map, IReadOnlyList<PayloadSettings> Shards) ReadPayloads(ActorSystem system, string path)
    {
        var all = system.Settings.Config;
        var own = SectionAt(all, path);
        var writer = WritePlugin.PathOf(all, own);
        var written = WritePlugin.ShardsOf(all, writer);
        IReadOnlyList<string?> plugins = written?.Plugins ?? (IReadOnlyList<string?>)[writer];
        return (written?.Map, [.. plugins.Select(plugin =>
        {
            var settings = WritePlugin.InheritPayloads(own, all, plugin, Defaults);
            return new PayloadSettings(settings.Path, plugin, Serializer(settings, system), IsStoredAsJson(settings));
        })]);
    }

    /// <summary>The databases of a read journal, for a program without an actor system. Databases that are set up in code are missing.</summary>
    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    internal static IReadOnlyList<JournalSettings> ReadDatabases(Config all, string path)
    {
        var own = SectionAt(all, path);
        var writer = WritePlugin.PathOf(all, own);
        return [.. new ReadShards(own, given: [], writer, WritePlugin.ShardsOf(all, writer)).In(all, Defaults).Select(Read)];
    }

    /// <summary>Checks a section without the rest of the configuration.</summary>
    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    internal static void Check(string path, Config given)
    {
        var section = given.SafeWithFallback(Defaults);
        // The write plugin may still give the provider-name.
        if (new SettingReader(path, section).Text("provider-name").Length == 0)
            section = ConfigurationFactory.ParseString("provider-name = SQLite").WithFallback(section);
        foreach (var named in new ReadShards(new(path, section), given: [], writer: null, written: null).Named())
            _ = Read(new DatabaseSettings(named, Given: null, WritePlugin: null, Shard: null));
    }

    private static SettingReader SectionAt(Config all, string path)
    {
        var isThere = all.HasPath(path);
        return isThere || path == ThrottledReadJournal.Identifier
            ? new(path, isThere ? all.GetConfig(path).WithFallback(Defaults) : Defaults)
            : throw new ConfigurationException(
                $"There is no section {NearName.Suggest(path, PluginPath.Sections(all).Append(ThrottledReadJournal.Identifier))}; it must be the id of a read journal. Correct it, or leave it out for '{ThrottledReadJournal.Identifier}'.");
    }

    private static JournalSettings Read(DatabaseSettings database)
    {
        var (settings, given, writePlugin, identity) = database;
        var mapping = TableSettings.Mapping(settings);
        var names = new SettingNames(settings.Path, mapping);
        return new()
        {
            PluginId = settings.Path,
            Database = given?.KindBy(settings) ?? ProviderName.Read(settings),
            Given = given,
            ConnectionString = settings.Text("connection-string"),
            ConnectionSetting = settings.NameOf("connection-string"),
            WritePlugin = writePlugin,
            Options = OptionSettings.Read(settings, names, TableSettings.Read(settings, mapping)) with { Shard = identity },
            Names = names,
            OnUndecodableEvent = settings.OneOf("on-undecodable-event",
                ("fail", UndecodableEventAction.Fail), ("skip", UndecodableEventAction.Skip), ("deliver", UndecodableEventAction.Deliver)),
            IsStoredAsJson = IsStoredAsJson(settings),
            Cluster = BudgetSettings.Read(settings),
        };
    }

    private static bool IsStoredAsJson(SettingReader settings) => settings.OneOf("stored-as", ("bytea", false), ("json", true), ("jsonb", true));

    // For an unknown name, Akka.NET silently takes the serializer of System.Object.
    private static string? Serializer(SettingReader settings, ActorSystem system)
    {
        if (settings.Text("serializer") is not { Length: > 0 } name)
            return null;
        var isThere = system.Settings.Config.GetValue("akka.actor.serializers")?.GetChildObject(name) is not null;
        return isThere || system.Settings.Setup.Get<SerializationSetup>().HasValue
            ? name
            : throw settings.Invalid("serializer", "the name of a serializer in akka.actor.serializers");
    }
}
