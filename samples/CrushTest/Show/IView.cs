using CrushTest.Settings;

namespace CrushTest.Show;

/// <summary>A number that changes while something runs.</summary>
internal sealed record Figure(string Label, Func<long> Value, bool HasRate = false);

/// <summary>Shows what is going on.</summary>
internal interface IView
{
    /// <summary>Runs a phase.</summary>
    /// <param name="name">What it does.</param>
    /// <param name="figures">What changes meanwhile.</param>
    /// <param name="work">Does it, and says in a few words what came of it.</param>
    Task RunAsync(string name, IReadOnlyList<Figure> figures, Func<Task<string>> work);

    void Show(IReport report);

    /// <summary>The view that suits the settings and the console.</summary>
    internal static IView Open(CrushSettings settings) =>
        settings.Json ? new JsonView() : Console.IsOutputRedirected ? new PlainView() : new LiveView();
}
