using DigitalTwins.Databases;
using DigitalTwins.Load;
using DigitalTwins.Nodes;
using DigitalTwins.ReadModel;
using DigitalTwins.Settings;
using DigitalTwins.Show;

namespace DigitalTwins;

/// <summary>The whole run: servers, nodes, load, comparison, report. What was started is stopped in the reverse order, however the run ends.</summary>
internal sealed class Twins(TwinsSettings settings)
{
    private readonly Progress _progress = new(settings.Json);

    internal static async Task<TwinsReport> RunAsync(TwinsSettings settings, CancellationToken cancellation)
    {
        var report = await new Twins(settings).RunAsync(cancellation);
        if (settings.Json)
            Console.WriteLine(report.ToJson());
        else
            ReportTable.Write(report);
        return report;
    }

    private async Task<TwinsReport> RunAsync(CancellationToken cancellation)
    {
        using var databases = await _progress.RunAsync(
            "PostgreSQL", () => $"starting {settings.Databases + 1} servers",
            () => Task.Run(() => TwinDatabases.StartAsync(settings, cancellation), CancellationToken.None),
            _ => $"{settings.Databases} for the journal, 1 for the read model");
        cancellation.ThrowIfCancellationRequested();
        await using var member = await LoadMember.StartAsync(cancellation);
        await using var nodes = TwinNodes.Start(settings, databases, member.Port);
        return await nodes.GuardAsync(token => MeasureAsync(databases, member, nodes, token), cancellation);
    }

    private async Task<TwinsReport> MeasureAsync(TwinDatabases databases, LoadMember member, TwinNodes nodes, CancellationToken cancellation)
    {
        await RunAsync("cluster", () => $"{member.Nodes} of {settings.Nodes} nodes are ready", () => member.WaitAsync(settings.Nodes, cancellation), $"{settings.Nodes} nodes are ready");
        var generator = new LoadGenerator(settings, member.Devices);
        await RunAsync("devices", () => $"{generator.Awake:N0} of {settings.Devices:N0} are in memory", () => generator.WakeAsync(cancellation), $"{settings.Devices:N0} are in memory");
        var before = ProcessorUse.Read(nodes);
        var (load, used) = await _progress.RunAsync(
            "load", () => $"{generator.Window.Reads.Count:N0} reads, {generator.Window.Writes.Count:N0} writes",
            async () =>
            {
                var window = await generator.RunAsync(() => before = ProcessorUse.Read(nodes), cancellation);
                return (window, ProcessorUse.Read(nodes) - before);
            },
            result => $"{result.window.Reads.Count:N0} reads, {result.window.Writes.Count:N0} writes, after a warm-up of {settings.WarmUp.TotalSeconds:N0} s");
        var check = await _progress.RunAsync(
            "read model", () => "it catches up", () => new ReadModelCheck(databases).RunAsync(generator.Answered, cancellation),
            result => $"{result.ReadModel:N0} of {result.Journal:N0} updates");
        return TwinsReport.Of(settings, load, used, check, nodes.Warnings);
    }

    private Task RunAsync(string name, Func<string> now, Func<Task> work, string outcome) => _progress.RunAsync(
        name, now,
        async () =>
        {
            await work();
            return true;
        },
        _ => outcome);
}
