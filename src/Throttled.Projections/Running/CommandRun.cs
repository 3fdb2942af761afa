using Microsoft.Extensions.Logging;
using Throttled.Journal;
using Throttled.Journal.Loop;
using Throttled.Projections.Diagnostics;
using Throttled.Projections.Store;

namespace Throttled.Projections.Running;

/// <summary>
/// Executes what a leader has to, one command after the other and beside reconciliation, because a handler's own code may take long. Who led when a
/// command was begun may not lead when it ends; the database takes it from one only.
/// </summary>
internal sealed class CommandRun(ProjectionParts parts, ILogger log, Action wake)
{
    // Once or twice, another was quicker.
    private const int ManyFences = 3;

    private readonly TargetCommands _commands = new(parts);
    private readonly TimeProvider _clock = parts.Options.TimeProvider;
    private Task _running = Task.CompletedTask;
    private (long Command, int Count) _fences;
    private int _failures;
    private long _failed;
    private TimeSpan _pause;

    /// <summary>Whether none is being executed; what was read before one ended may still have it.</summary>
    internal bool IsIdle => _running.IsCompleted;

    /// <summary>Begins the oldest command that is this process's to execute. Called while none is being executed.</summary>
    /// <param name="snapshot">The projection as it was read since the last one ended.</param>
    /// <param name="stopping">The runner stops.</param>
    internal void Advance(ProjectionSnapshot snapshot, CancellationToken stopping)
    {
        if (_failures > 0 && _clock.GetElapsedTime(_failed) < _pause)
            return;
        if (snapshot.Commands.FirstOrDefault(command => Leadership.IsFor(command, snapshot, parts.Member)) is { } next)
            _running = RunAsync(next, snapshot, stopping);
    }

    /// <summary>Waits until what is being executed has ended, one way or the other.</summary>
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
            // Another has executed it, or things are not as they were read; the next reconciliation shows which.
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
            log.CommandDone(verb, command.Target, command.Id, outcome.Result);
        else if (await parts.Store.RefuseAsync(command, outcome.Result, stopping).ConfigureAwait(false))
            log.CommandRefused(verb, command.Target, command.Id, outcome.Result);
    }

    private void Failed(CommandRow command, Exception error)
    {
        if (_failures == 0)
            log.CommandFails(command.VerbText, command.Target, command.Id, ErrorText.Of(error), error);
        _failed = _clock.GetTimestamp();
        _pause = BackOff.Delay(_failures++, parts.Random.NextDouble());
    }

    private void Fenced(CommandRow command, FencedException error)
    {
        _fences = (command.Id, _fences.Command == command.Id ? _fences.Count + 1 : 1);
        if (_fences.Count == ManyFences)
            log.CommandFails(command.VerbText, command.Target, command.Id, ErrorText.Of(error), error);
    }

    private async Task<CommandOutcome> TryAsync(CommandRow command, ProjectionSnapshot snapshot, CancellationToken stopping)
    {
        try
        {
            return await _commands.ExecuteAsync(command, snapshot, stopping).ConfigureAwait(false);
        }
        catch (Exception error) when (error is HookException or SpoiltTransactionException or JournalException or ProjectionException)
        {
            return new(CommandState.Refused, error.Message);
        }
    }
}
