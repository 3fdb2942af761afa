using BankAccounts.Replay;

namespace BankAccounts.Show;

/// <summary>Shows what is going on.</summary>
internal interface IView
{
    /// <summary>Runs a phase.</summary>
    /// <param name="name">What it does.</param>
    /// <param name="all">How much there is to do; null where that is not counted.</param>
    /// <param name="done">How much of it is done.</param>
    /// <param name="work">Does it, and says in a few words what came of it.</param>
    Task RunAsync(string name, long? all, Func<long> done, Func<Task<string>> work);

    void Show(ReplayReport report);

    /// <summary>The view that suits the settings and the console.</summary>
    internal static IView Open(bool json) => json ? new JsonView() : Console.IsOutputRedirected ? new PlainView() : new LiveView();
}
