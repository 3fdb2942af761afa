using BankAccounts.Replay;

namespace BankAccounts.Show;

/// <summary>Where nobody watches: a line for each phase that has ended, and the table.</summary>
internal sealed class PlainView : IView
{
    public async Task RunAsync(string name, long? all, Func<long> done, Func<Task<string>> work) =>
        Console.WriteLine($"{name,-32}{await work()}");

    public void Show(ReplayReport report) => ReplayTable.Write(report);
}
