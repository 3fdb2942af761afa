using Throttled.Journal.Diagnostics;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Tail;

/// <summary>Listens for the journal's own word that it was written to, and begins again when the connection breaks.</summary>
internal sealed class Notifications : IDisposable
{
    private readonly JournalContext _context;
    private readonly Action _wake;
    private readonly LoopTimer _again;
    private readonly CancellationTokenSource _disposal = new();
    private Task _listening = Task.CompletedTask;
    private int _failures;

    /// <param name="context">The journal.</param>
    /// <param name="wake">Called on the loop for each notification, several at once perhaps as one.</param>
    internal Notifications(JournalContext context, Action wake)
    {
        _context = context;
        _wake = wake;
        _again = new(context.Loop, _ => Listen());
    }

    /// <summary>The journal can be read: listens, unless it does already. On the loop.</summary>
    internal void Listen()
    {
        if (_context.Options.Notify && _listening.IsCompleted && !_disposal.IsCancellationRequested)
            _listening = Task.Run(ListenAsync);
    }

    internal async Task StopAsync()
    {
        await _disposal.CancelAsync().ConfigureAwait(false);
        await _listening.ConfigureAwait(false);
    }

    public void Dispose()
    {
        _again.Dispose();
        _disposal.Dispose();
    }

    private async Task ListenAsync()
    {
        try
        {
            await _context.Database.ListenAsync(Heard, _disposal.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (_disposal.IsCancellationRequested)
        {
        }
        catch (Exception error)
        {
            _context.Loop.Post(state => Failed((Exception)state), error);
        }
    }

    private void Heard()
    {
        _failures = 0;
        _context.Loop.Post(static wake => ((Action)wake)(), _wake);
    }

    private void Failed(Exception error)
    {
        if (_failures == 0)
            _context.Log.NotificationsLost(error);
        _again.Set(BackOff.Delay(_failures++, _context.Random.NextDouble()));
    }
}
