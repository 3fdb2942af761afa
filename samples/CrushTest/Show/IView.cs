using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
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
    /// <param name="work">Does it, and gives its result in a few words.</param>
    Task RunAsync(string name, IReadOnlyList<Figure> figures, Func<Task<string>> work);

    void Show(CrushReport report);

    /// <summary>The view that suits the settings and the console.</summary>
    internal static IView Open(CrushSettings settings) =>
        settings.Json ? new JsonView() : Console.IsOutputRedirected ? new PlainView() : new LiveView();
}

/// <summary>Where the output is no terminal: a line for each phase that has ended, and the report.</summary>
internal sealed class PlainView : IView
{
    public async Task RunAsync(string name, IReadOnlyList<Figure> figures, Func<Task<string>> work) =>
        Console.WriteLine($"{name,-32}{await work()}");

    public void Show(CrushReport report) => ReportTable.Write(report);
}

/// <summary>For programs: nothing but the result.</summary>
internal sealed class JsonView : IView
{
    private static readonly JsonSerializerOptions Format = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    public Task RunAsync(string name, IReadOnlyList<Figure> figures, Func<Task<string>> work) => work();

    public void Show(CrushReport report) => Console.WriteLine(JsonSerializer.Serialize(report, Format));
}
