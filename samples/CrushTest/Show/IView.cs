using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Serialization;
using CrushTest.Settings;

namespace CrushTest.Show;

/// <summary>A number that changes during a phase.</summary>
internal sealed record Figure(string Label, Func<long> Value, bool HasRate = false);

/// <summary>Shows progress and the report.</summary>
internal interface IView
{
    /// <summary>Runs a phase.</summary>
    /// <param name="work">The work. Its result is a short text for the phase's line.</param>
    Task RunAsync(string name, IReadOnlyList<Figure> figures, Func<Task<string>> work);

    void Show(CrushReport report);

    /// <summary>The view that suits the settings and the console.</summary>
    internal static IView Open(CrushSettings settings) =>
        settings.Json ? new JsonView() : Console.IsOutputRedirected ? new PlainView() : new LiveView();
}

/// <summary>For output that is not a terminal: a line for each phase, then the report. The name of a phase comes when it begins, the rest when it ends.</summary>
internal sealed class PlainView : IView
{
    public async Task RunAsync(string name, IReadOnlyList<Figure> figures, Func<Task<string>> work)
    {
        Console.Write($"{name,-32}");
        Console.WriteLine(await work());
    }

    public void Show(CrushReport report) => ReportTable.Write(report);
}

/// <summary>For programs: only the result.</summary>
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
