using Akka.Actor;
using Akka.Configuration;
using Akka.Event;
using Akka.Persistence.Query.Throttled.Settings;
using Throttled.Journal;
using Throttled.Journal.Database;

namespace Akka.Persistence.Sharded;

/// <summary>The write plugins of a sharded journal. A plugin starts when a probe has shown that the database is its shard's.</summary>
internal sealed class ShardJournals
{
    private readonly WriteShards _settings;
    private readonly IActorContext _context;
    private readonly ILoggingAdapter _log;
    private readonly Func<JournalAppender>?[] _databases;
    private readonly IActorRef?[] _journals;
    private readonly HashSet<int> _unavailable = [];

    /// <exception cref="ConfigurationException">A plugin cannot be started as it is configured.</exception>
    internal ShardJournals(WriteShards settings, IActorContext context, ILoggingAdapter log)
    {
        (_settings, _context, _log) = (settings, context, log);
        var all = context.System.Settings.Config;
        foreach (var plugin in settings.Plugins)
            CheckClass(all, plugin);
        _databases = [.. settings.Plugins.Select(plugin => ShardDatabase.Of(all, plugin, () => GivenDatabase.OfWritePlugin(context.System, plugin)))];
        _journals = new IActorRef?[settings.Plugins.Count];
        var unknown = settings.Plugins.Where((_, shard) => _databases[shard] is null).ToList();
        if (unknown.Count > 0 && settings.Map.Count > 1)
            log.UncheckedShards(settings.Path, unknown);
    }

    /// <summary>For each shard, whether its database can be probed.</summary>
    internal IReadOnlyList<bool> CanProbe => [.. _databases.Select(each => each is not null)];

    internal Task<ShardProbeResult> ProbeAsync(int shard) => ShardProbe.RunAsync(new(_settings.Map, shard), _settings.Plugins[shard], _databases[shard]!);

    /// <summary>Logs a change of a shard's state.</summary>
    internal void LogChange(ShardProbeResult result)
    {
        if (result.Error is ShardMarkException)
            _log.RefusedShards(_settings.Path, result.Error);
        else if (result.Error is { } error && _unavailable.Add(result.Shard))
            _log.ShardUnavailable(error);
        else if (result.Error is null && _unavailable.Remove(result.Shard))
            _log.ShardAvailable(_settings.Plugins[result.Shard]);
    }

    /// <summary>Starts the write plugin of a shard. The plugin creates its tables if its settings say so.</summary>
    /// <returns>Null, or the reason why it cannot be started.</returns>
    internal Exception? Start(int shard)
    {
        try
        {
            _journals[shard] = _context.Watch(Persistence.Instance.Apply(_context.System).JournalFor(_settings.Plugins[shard]));
            return null;
        }
        catch (Exception error)
        {
            _log.RefusedShards(_settings.Plugins[shard], error);
            return error;
        }
    }

    internal void Forward(int shard, PendingRequest request) => _journals[shard]!.Tell(request.Message, request.Sender);

    /// <summary>
    /// The shard whose plugin has stopped, and the failure for its messages from now on; null if the actor is not a plugin.
    /// </summary>
    internal (int Shard, Exception Cause)? Stopped(IActorRef journal)
    {
        var shard = Array.IndexOf(_journals, journal);
        return shard < 0 ? null : (shard, new JournalException(
            $"{ShardIdentity.PrefixOf(new(_settings.Map, shard))}The write plugin '{_settings.Plugins[shard]}' has stopped. The log says why. Correct its section and restart."));
    }

    // Akka.NET keeps the error of a plugin that it could not create, and throws it again when another plugin is started.
    private static void CheckClass(Config all, string plugin)
    {
        if (all.GetString($"{plugin}.class") is not { Length: > 0 } name)
            throw new ConfigurationException(
                $"'{plugin}.class' is missing; it must be the class of a write plugin, as in \"Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql\".");
        if (Type.GetType(name) is null)
            throw new ConfigurationException($"'{plugin}.class' is \"{name}\", which cannot be found; it must be the class of a write plugin. Correct it, or reference its package.");
    }
}
