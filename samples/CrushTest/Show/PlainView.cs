namespace CrushTest.Show;

/// <summary>Where nobody watches: a line for each phase that has ended, and the table.</summary>
internal sealed class PlainView : IView
{
    public async Task RunAsync(string name, IReadOnlyList<Figure> figures, Func<Task<string>> work) =>
        Console.WriteLine($"{name,-28}{await work()}");

    public void Show(IReport report) => ReportTable.Write(report);
}
