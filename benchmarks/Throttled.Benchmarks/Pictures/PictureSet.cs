using OxyPlot.Axes;
using Throttled.Testing;

namespace Throttled.Benchmarks.Pictures;

/// <summary>The pictures of the documentation, drawn from the tables of the results.</summary>
internal static class PictureSet
{
    /// <summary>File names in docs/pictures, with how to draw each.</summary>
    internal static IReadOnlyDictionary<string, Func<string>> All { get; } = new Dictionary<string, Func<string>>
    {
        ["projections.svg"] = Projections,
        ["shards.svg"] = Shards,
    };

    internal static void Draw()
    {
        foreach (var (name, draw) in All)
        {
            File.WriteAllText(FileOf(name), draw());
            Console.WriteLine(FileOf(name));
        }
    }

    internal static string FileOf(string name) => Path.Combine(WorkingCopy.Root, "docs", "pictures", name);

    private static string Projections()
    {
        var table = ResultTable.Read("projections.md");
        // Of bars, the first is at the bottom.
        var steps = table.Values("", "events/s", "PostgreSQL").Reverse().ToList();
        return new Chart(
                "A read model replayed, events per second (PostgreSQL)",
                Chart.Names(steps.Select(step => step.Name), AxisPosition.Left), Chart.Linear("events per second", AxisPosition.Bottom), left: 220)
            .Bars("events per second", steps.Select(step => step.Value))
            .ToSvg();
    }

    private static string Shards()
    {
        var writes = ResultTable.Read("shards.md").Points("servers", "writes/s").ToList();
        return new Chart("Writes per second of one journal on several servers", Chart.Linear("servers", AxisPosition.Bottom), Chart.Linear("writes per second", AxisPosition.Left))
            .Line("measured", writes)
            .Line("linear", writes.Select(point => (point.X, writes[0].Y * point.X / writes[0].X)), isDashed: true)
            .ToSvg();
    }
}
