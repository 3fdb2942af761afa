using Akka.Actor;
using Akka.Configuration;
using Akka.Serialization;
using Throttled.Journal;

namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>Makes settings of a section of HOCON. <c>reference.conf</c> is the only place of their defaults.</summary>
internal static class SettingsFile
{
    private const string Resource = "Akka.Persistence.Query.Throttled.reference.conf";

    /// <summary>The settings that there are, with their defaults, as they stand in a whole configuration.</summary>
    internal static Config Reference { get; } = ConfigurationFactory.FromResource(Resource, typeof(SettingsFile).Assembly);

    /// <summary>The same without their path.</summary>
    internal static Config Defaults { get; } = Reference.GetConfig(ThrottledReadJournal.Identifier);

    /// <param name="system">The actor system, for what stands elsewhere in its configuration and for what was given in code.</param>
    /// <param name="section">The section of the read journal.</param>
    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    /// <returns>The settings of each shard; those of one database where the journal is not divided.</returns>
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

    /// <summary>What is said of how payloads are stored, for who reads the journal otherwise: no connection is needed.</summary>
    /// <param name="system">The actor system.</param>
    /// <param name="path">Where the section of the read journal stands; it need not be there.</param>
    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    /// <returns>For each shard of the write plugin, with their map; for all, and null, where it is not a sharded one.</returns>
    internal static (ShardMap? Map, IReadOnlyList<PayloadSettings> Shards) ReadPayloads(ActorSystem system, string path)
    {
        var all = system.Settings.Config;
        if (path != ThrottledReadJournal.Identifier && !all.HasPath(path))
            throw new ConfigurationException(
                $"There is no section {NearName.Suggest(path, PluginPath.Sections(all).Append(ThrottledReadJournal.Identifier))}; it must be the id of a read journal. Correct it, or leave it out for '{ThrottledReadJournal.Identifier}'.");
        var own = new SettingReader(path, all.HasPath(path) ? all.GetConfig(path).WithFallback(Defaults) : Defaults);
        var writer = WritePlugin.PathOf(all, own);
        var written = WritePlugin.ShardsOf(all, writer);
        IReadOnlyList<string?> plugins = written?.Plugins ?? (IReadOnlyList<string?>)[writer];
        return (written?.Map, [.. plugins.Select(plugin =>
        {
            var settings = WritePlugin.InheritPayloads(own, all, plugin, Defaults);
            return new PayloadSettings(settings.Path, plugin, Serializer(settings, system), IsStoredAsJson(settings));
        })]);
    }

    /// <summary>Refuses what is wrong whatever stands elsewhere.</summary>
    /// <param name="path">Where the section is going to stand.</param>
    /// <param name="given">The section.</param>
    /// <exception cref="ConfigurationException">A setting is wrong; the message names it.</exception>
    internal static void Check(string path, Config given)
    {
        var section = given.SafeWithFallback(Defaults);
        // The write plugin may still say it.
        if (new SettingReader(path, section).Text("provider-name").Length == 0)
            section = ConfigurationFactory.ParseString("provider-name = SQLite").WithFallback(section);
        foreach (var named in new ReadShards(new(path, section), given: [], writer: null, written: null).Named())
            _ = Read(new DatabaseSettings(named, Given: null, WritePlugin: null, Shard: null));
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
        };
    }

    private static bool IsStoredAsJson(SettingReader settings) => settings.OneOf("stored-as", ("bytea", false), ("json", true), ("jsonb", true));

    // Akka.NET takes that of System.Object in the place of one that is not there, and says nothing.
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
