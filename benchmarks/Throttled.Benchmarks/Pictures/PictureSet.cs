using OxyPlot.Axes;
using Throttled.Testing;

namespace Throttled.Benchmarks.Pictures;

/// <summary>The pictures of the documentation, drawn from the tables of the results.</summary>
internal static class PictureSet
{
    /// <summary>File names in docs/pictures, with how to draw each.</summary>
    internal static IReadOnlyDictionary<string, Func<string>> All { get; } = new Dictionary<string, Func<string>>
    {
        ["growth.svg"] = Growth,
        ["growth-events.svg"] = GrowthOfEvents,
        ["growth-tags.svg"] = GrowthOfTags,
        ["growth-permits.svg"] = GrowthOfPermits,
        ["idle.svg"] = Idle,
        ["projections.svg"] = Projections,
        ["shards.svg"] = Shards,
        ["recovery.svg"] = Recovery,
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

    private static string Growth()
    {
        var table = ResultTable.Read("growth.md");
        return new Chart(
                "Seconds to the last of 10 events for each live query (SQLite)",
                Chart.Logarithmic("live queries", AxisPosition.Bottom), Chart.Logarithmic("seconds", AxisPosition.Left))
            .Line("Throttled, actors", table.Points("live queries", "actors, s"))
            .Line("Akka.Persistence.Sql, actors", table.Points("live queries", "Akka.Persistence.Sql, s"))
            .Line("Throttled, engine", table.Points("live queries", "engine, s"))
            .Line("bare driver", table.Points("live queries", "floor, s"), isDashed: true)
            .ToSvg();
    }

    private static string GrowthOfEvents()
    {
        var table = ResultTable.Read("growth-events.md");
        return new Chart(
                "Events per second of a replay in journal order (PostgreSQL)",
                Chart.Logarithmic("events in the journal", AxisPosition.Bottom), Chart.Linear("events per second", AxisPosition.Left))
            .Line("Throttled, engine", table.Points("events", "events/s"))
            .Line("bare driver", table.Points("events", "floor, events/s"), isDashed: true)
            .ToSvg();
    }

    private static string GrowthOfTags()
    {
        var table = ResultTable.Read("growth-tags.md");
        return new Chart(
                "Seconds until live queries by tag have caught up (PostgreSQL)",
                Chart.Logarithmic("tags, each with a live query", AxisPosition.Bottom), Chart.Logarithmic("seconds", AxisPosition.Left))
            .Line("Throttled, engine", Of("Throttled"))
            .Line("Akka.Persistence.Sql", Of("Akka.Persistence.Sql"))
            .ToSvg();

        IEnumerable<(double, double)> Of(string reader) => table.Points("tags", "catch up, s", reader, "reader");
    }

    private static string GrowthOfPermits()
    {
        var table = ResultTable.Read("growth-permits.md");
        return new Chart(
                "Events per second of live queries that catch up (PostgreSQL)",
                Chart.Logarithmic("permits", AxisPosition.Bottom), Chart.Linear("events per second", AxisPosition.Left))
            .Line("no delay", Of("0", "events/s"))
            .Line("1 ms each way", Of("1", "events/s"))
            .Line("5 ms each way", Of("5", "events/s"))
            .Line("5 ms, by Little's law", Of("5", "events/s, by Little's law"), isDashed: true)
            .ToSvg();

        IEnumerable<(double, double)> Of(string delay, string rate) => table.Points("permits", rate, delay, "delay each way, ms");
    }

    private static string Idle()
    {
        var table = ResultTable.Read("idle.md");
        return new Chart(
                "Statements per second while nothing is written (PostgreSQL)",
                Chart.Logarithmic("live queries", AxisPosition.Bottom), Chart.Logarithmic("statements per second", AxisPosition.Left))
            .Line("Throttled", table.Points("live queries", "statements per second", "postgres"))
            .Line("Akka.Persistence.Sql", table.Points("live queries", "Akka.Persistence.Sql", "postgres"))
            .ToSvg();
    }

    private static string Projections()
    {
        var table = ResultTable.Read("projections.md");
        // Rows with a comma in the name are no steps (ReplayRow.Name). Of bars, the first is at the bottom.
        var steps = table.Values("", "events/s", "PostgreSQL").Where(step => !step.Name.Contains(',')).Reverse().ToList();
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

    private static string Recovery()
    {
        var table = ResultTable.Read("recovery.md");
        return new Chart(
                "The database is killed at 5 s and started again at 8 s", Chart.Linear("seconds", AxisPosition.Bottom), Chart.Linear("events per second", AxisPosition.Left))
            .Line("committed", table.Points("second", "committed/s"), hasMarkers: false)
            .Line("delivered", table.Points("second", "delivered/s"), hasMarkers: false)
            .ToSvg();
    }
}
