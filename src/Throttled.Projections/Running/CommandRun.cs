using Microsoft.Extensions.Logging;
using Throttled.Journal.Loop;
using Throttled.Projections.Databases;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Running;

/// <summary>
/// Executes the leader's commands, one after the other, beside reconciliation, because a handler's own code may take long. If another process
/// becomes the leader in the meantime, the database accepts the command's end from only one of them.
/// </summary>
internal sealed class CommandRun(ProjectionContext context, ILogger log, Action wake)
{
    // Once or twice, another process was faster.
    private const int ManyFences = 3;

    private readonly VersionCommands _commands = new(context);
    private readonly TimeProvider _clock = context.Options.TimeProvider;
    private Task _running = Task.CompletedTask;
    private (long Command, int Count) _fences;
    private int _failures;
    private long _failed;
    private TimeSpan _delay;

    /// <summary>A snapshot from before the last command ended may still contain it.</summary>
    internal bool IsIdle => _running.IsCompleted;

    /// <summary>Starts the oldest command of this process. The snapshot was read after the last one ended.</summary>
    internal void Advance(ProjectionSnapshot snapshot, CancellationToken stopping)
    {
        if (_failures > 0 && _clock.GetElapsedTime(_failed) < _delay)
            return;
        if (snapshot.Commands.FirstOrDefault(command => Leadership.IsFor(command, snapshot, context.ProcessName)) is { } next)
            _running = RunAsync(next, snapshot, stopping);
    }

    internal Task EndAsync() => _running;

    private async Task RunAsync(CommandRow command, ProjectionSnapshot snapshot, CancellationToken stopping)
    {
        try
        {
            await EndAsync(command, await TryAsync(command, snapshot, stopping).ConfigureAwait(false), stopping).ConfigureAwait(false);
            _failures = 0;
            wake();
        }
        catch (FencedException fenced)
        {
            // Another process has executed the command, or the snapshot is out of date. The next reconciliation shows which.
            Fenced(command, fenced);
        }
        catch (Exception error)
        {
            if (!stopping.IsCancellationRequested)
                Failed(command, error);
        }
    }

    private async Task EndAsync(CommandRow command, CommandOutcome outcome, CancellationToken stopping)
    {
        var verb = command.VerbText;
        if (outcome.State == CommandState.Done)
            log.CommandDone(verb, command.Version, command.Id, outcome.Result);
        else if (await context.Store.RefuseAsync(command, outcome.Result, stopping).ConfigureAwait(false))
            log.CommandRefused(verb, command.Version, command.Id, outcome.Result);
    }

    private void Failed(CommandRow command, Exception error)
    {
        if (_failures == 0)
            log.CommandFails(command.VerbText, command.Version, command.Id, ErrorText.Of(error), error);
        _failed = _clock.GetTimestamp();
        _delay = BackOff.Delay(_failures++, context.Random.NextDouble());
    }

    private void Fenced(CommandRow command, FencedException error)
    {
        _fences = (command.Id, _fences.Command == command.Id ? _fences.Count + 1 : 1);
        if (_fences.Count == ManyFences)
            log.CommandFails(command.VerbText, command.Version, command.Id, ErrorText.Of(error), error);
    }

    private async Task<CommandOutcome> TryAsync(CommandRow command, ProjectionSnapshot snapshot, CancellationToken stopping)
    {
        try
        {
            return await _commands.ExecuteAsync(command, snapshot, stopping).ConfigureAwait(false);
        }
        catch (Exception error) when (error is HookException or AbortedTransactionException or JournalException or ProjectionException)
        {
            return CommandOutcome.Refused(error.Message);
        }
    }
}

/// <summary>Decides which process executes a command. The owner of a version's first lane leads: that lane moves least. Pure.</summary>
internal static class Leadership
{
    internal static bool Leads(string version, ProjectionSnapshot snapshot, string process) =>
        snapshot.Lanes.Any(lane => lane.Version == version && lane.Lane == 0 && lane.Owner == process);

    internal static bool IsFor(CommandRow command, ProjectionSnapshot snapshot, string process)
    {
        var isRun = snapshot.Versions.Any(row => row.Version == command.Version && row.Role != VersionRole.Retired);
        return !(command.IsForLane && isRun) && Leads(LeaderOf(command, isRun, snapshot), snapshot, process);
    }

    // A version that no process runs has no leader. The leader of the live version executes its commands.
    private static string LeaderOf(CommandRow command, bool isRun, ProjectionSnapshot snapshot) =>
        isRun && command.Verb is (CommandVerb.Reset or CommandVerb.Drop or CommandVerb.SetLanes)
            ? command.Version
            : snapshot.Versions.First(row => row.Role == VersionRole.Live).Version;
}
