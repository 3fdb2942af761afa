using System.Text.Json;

namespace CrushTest.Show;

/// <summary>For programs: nothing but the result.</summary>
internal sealed class JsonView : IView
{
    private static readonly JsonSerializerOptions Format = new(JsonSerializerDefaults.Web) { WriteIndented = true };

    public Task RunAsync(string name, IReadOnlyList<Figure> figures, Func<Task<string>> work) => work();

    public void Show(IReport report) => Console.WriteLine(JsonSerializer.Serialize(report, report.GetType(), Format));
}
