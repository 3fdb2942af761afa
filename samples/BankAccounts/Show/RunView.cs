using System.Data.Common;
using Throttled.Projections;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Show;

/// <summary>Shows the progress of a projection while it runs: a bar on a terminal, otherwise a line from time to time.</summary>
internal sealed class RunView(ProjectionControl control, string name)
{
    private static readonly TimeSpan Look = TimeSpan.FromMilliseconds(500);
    private const int LooksPerLine = 20;

    /// <param name="untilCaughtUp">Whether to end when the projection has caught up with the journal.</param>
    internal async Task RunAsync(bool untilCaughtUp, CancellationToken cancellation)
    {
        try
        {
            if (Console.IsOutputRedirected)
                await FollowAsync(untilCaughtUp, new Lines().Show, cancellation);
            else
                await Bar.RunAsync(bar => FollowAsync(untilCaughtUp, status => Show(bar, status), cancellation));
        }
        catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
        {
        }
    }

    private async Task FollowAsync(bool untilCaughtUp, Action<ProjectionStatus> show, CancellationToken cancellation)
    {
        while (true)
        {
            await Task.Delay(Look, cancellation);
            if (await StatusAsync(cancellation) is not { } status)
                continue;
            show(status);
            if (untilCaughtUp && HasCaughtUp(status))
                return;
        }
    }

    private static bool HasCaughtUp(ProjectionStatus status) => status.LagEvents == 0;

    // While the database is down, or its tables do not exist yet, the projection waits, and the view shows nothing new.
    private async Task<ProjectionStatus?> StatusAsync(CancellationToken cancellation)
    {
        try
        {
            return (await control.StatusAsync(name, cancellation)).FirstOrDefault(one => one.Role == VersionRole.Live);
        }
        catch (Exception error) when (error is DbException or ProjectionException)
        {
            return null;
        }
    }

    private static void Show(Bar bar, ProjectionStatus status) =>
        bar.Show(status.Version, status.Offset, status.JournalEnd, status.EventsPerSecond);

    private sealed class Lines
    {
        private int _looks;
        private string _last = "";

        internal void Show(ProjectionStatus status)
        {
            var line = HasCaughtUp(status)
                ? $"{status.Version}: caught up with the journal at {status.Offset:N0}"
                : $"{status.Version}: {Pace.Text(status.Offset, status.JournalEnd, status.EventsPerSecond)}";
            var isDue = _looks++ % LooksPerLine == 0 || HasCaughtUp(status);
            if (!isDue || line == _last)
                return;
            Console.WriteLine(line);
            _last = line;
        }
    }
}
