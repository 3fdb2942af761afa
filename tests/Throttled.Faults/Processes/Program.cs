using Throttled.Faults.Projections.Bank;

namespace Throttled.Faults.Processes;

/// <summary>What runs in a process beside the tests': writes, reads or damages a SQLite file, or runs a projection, until it is killed, or the tests end.</summary>
internal static class Program
{
    private const int Page = 4096;

    private static async Task Main(string[] arguments)
    {
        EndWithTheTests();
        await (arguments switch
        {
            ["write", var file] => OtherWriter.RunAsync(file),
            ["checkpoint", var file] => OtherCheckpointer.RunAsync(file),
            ["read", var file, var after] => OtherReader.RunAsync(file, long.Parse(after)),
            ["hold", var file] => OtherReader.HoldAsync(file),
            ["project", var work] => BankWorker.RunAsync(work),
            ["ruin", var file, var with] => OverwriteAsync(file, with, isMended: false),
            ["mend", var file, var with] => OverwriteAsync(file, with, isMended: true),
            _ => throw new ArgumentException($"There is no '{string.Join(' ', arguments)}'."),
        });
    }

    // Another process does it, because closing a file takes all locks of a process from it: https://www.sqlite.org/howtocorrupt.html
    // The first page is damaged first and mended last, so that nobody takes a part of a file for a whole one.
    private static async Task OverwriteAsync(string file, string with, bool isMended)
    {
        var bytes = await File.ReadAllBytesAsync(with);
        await using var target = new FileStream(file, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
        Range[] parts = [new(0, Page), new(Page, ^0)];
        foreach (var part in isMended ? parts.Reverse() : parts)
        {
            target.Position = part.Start.Value;
            await target.WriteAsync(bytes.AsMemory(part));
        }
        target.SetLength(bytes.Length);
    }

    private static void EndWithTheTests() => _ = Task.Run(async () =>
    {
        await Console.In.ReadToEndAsync();
        Environment.Exit(1);
    });
}
