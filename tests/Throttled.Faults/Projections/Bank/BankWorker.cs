using Throttled.Projections;

namespace Throttled.Faults.Projections.Bank;

/// <summary>A process that runs a bank's projection until it is killed.</summary>
internal static class BankWorker
{
    internal static async Task RunAsync(string text)
    {
        var work = BankWork.Read(text);
        await using var journal = work.Place.OpenJournal();
        await using var source = work.Place.OpenSource();
        ProjectionHandler handler = work.Writing == Writing.Single
            ? new BankLogger(source, $"{Environment.ProcessId}-{Guid.NewGuid():N}", PassedAsync)
            : new BankHandler(work, PassedAsync);
        await using var projection = new Projection(journal, work.Place.ReadModelOf(source), handler, work.Options);
        projection.Start();
        await projection.Completion;

        Task PassedAsync(int given, CancellationToken cancellation)
        {
            if (!(given > work.PauseAfter))
                return Task.CompletedTask;
            Console.WriteLine("paused");
            return Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellation);
        }
    }
}
