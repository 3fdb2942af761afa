using Throttled.Faults.Nodes;
using Throttled.Faults.Projections.Bank;
using Throttled.Faults.Sqlite;

namespace Throttled.Faults.Processes;

/// <summary>
/// The program of another process: it writes, reads or damages a SQLite file, runs a projection, or is a node of a cluster, until it is killed or the
/// tests end.
/// </summary>
internal static class Program
{
    private static async Task Main(string[] arguments)
    {
        // A node reads its standard input itself.
        if (arguments is not ["node", ..])
            EndWithTheTests();
        await (arguments switch
        {
            ["write", var file] => OtherWriter.RunAsync(file),
            ["checkpoint", var file] => OtherCheckpointer.RunAsync(file),
            ["read", var file, var after] => OtherReader.RunAsync(file, long.Parse(after)),
            ["block", var file] => OtherReader.BlockAsync(file),
            ["project", var work] => BankWorker.RunAsync(work),
            ["node", var work] => NodeProgram.RunAsync(work),
            ["ruin", var file, var with] => OverwriteAsync(file, with, isRepaired: false),
            ["repair", var file, var with] => OverwriteAsync(file, with, isRepaired: true),
            _ => throw new ArgumentException($"There is no '{string.Join(' ', arguments)}'."),
        });
    }

    // This runs in another process, because closing a file releases all locks of a process on it: https://www.sqlite.org/howtocorrupt.html
    // The first page is damaged first and repaired last, so no process reads a part of a file as a whole one.
    private static async Task OverwriteAsync(string file, string with, bool isRepaired)
    {
        var bytes = await File.ReadAllBytesAsync(with);
        await using var output = new FileStream(file, FileMode.Open, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0);
        Range[] parts = [new(0, PageDamage.Page), new(PageDamage.Page, ^0)];
        foreach (var part in isRepaired ? parts.Reverse() : parts)
        {
            output.Position = part.Start.Value;
            await output.WriteAsync(bytes.AsMemory(part));
        }
        output.SetLength(bytes.Length);
    }

    private static void EndWithTheTests() => _ = Task.Run(async () =>
    {
        await Console.In.ReadToEndAsync();
        Environment.Exit(1);
    });
}
