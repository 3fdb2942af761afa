using Throttled.Journal.Database;
using Throttled.Journal.Diagnostics;
using Throttled.Journal.Loop;

namespace Throttled.Journal.Tail;

/// <summary>Listens for the database's notifications that the journal was written to. Starts again when the connection breaks.</summary>
internal sealed class NotificationListener : IDisposable
{
    // After a connection has lasted this long, the count of failures starts again.
    private static readonly TimeSpan Lasting = TimeSpan.FromMinutes(1);

    private readonly JournalContext _context;
    private readonly Action _wake;
    private readonly LoopTimer _again;
    private readonly CancellationTokenSource _disposal = new();
    private Task _listening = Task.CompletedTask;
    private TimeSpan _beganAt;
    private bool _isListening;
    private bool _isStopped;
    private int _failures;

    /// <param name="context">The journal's context.</param>
    /// <param name="wake">Called on the loop for notifications; several may be combined in one call.</param>
    internal NotificationListener(JournalContext context, Action wake)
    {
        _context = context;
        _wake = wake;
        _again = new(context.Loop, _ => Listen());
    }

    /// <summary>Starts listening if it does not listen yet. Called when the journal can be read. On the loop.</summary>
    internal void Listen()
    {
        if (!_context.Options.Notify || _isListening || _isStopped)
            return;
        _isListening = true;
        _beganAt = _context.Loop.Now;
        var listening = new Listening(this);
        _listening = listening.Task;
        _context.Loop.RunOutside(listening);
    }

    /// <summary>Stops listening. Called on the loop, so listening cannot start at the same time.</summary>
    internal Task StopAsync()
    {
        _context.Loop.RunOutside(new Cancellation(_disposal));
        _isStopped = true;
        return _listening;
    }

    public void Dispose()
    {
        _again.Dispose();
        _disposal.Dispose();
    }

    private void Heard() => _context.Loop.Post(static wake => ((Action)wake)(), _wake);

    private void Ended(Exception? error)
    {
        _isListening = false;
        if (error is not null && !_isStopped)
            Failed(error);
    }

    private void Failed(Exception error)
    {
        if (_context.Loop.Now - _beganAt > Lasting)
            _failures = 0;
        if (_failures == 0)
            _context.Log.NotificationsLost(error);
        _again.Set(BackOff.Delay(_failures++, _context.Random.NextDouble()));
    }

    private sealed class Listening(NotificationListener owner) : IThreadPoolWorkItem
    {
        private readonly Completion _ended = new(owner._context.Loop);
        private Exception? _error;

        internal Task Task => _ended.Task;

        public void Execute() => _ = ListenAsync();

        private async Task ListenAsync()
        {
            try
            {
                await owner._context.Database.ListenAsync(owner.Heard, owner._disposal.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException) when (owner._disposal.IsCancellationRequested)
            {
            }
            catch (Exception error)
            {
                _error = error;
            }
            owner._context.Loop.Post(static self => ((Listening)self).Notify(), this);
            _ended.Set();
        }

        private void Notify() => owner.Ended(_error);
    }
}
