namespace Throttled.Faults.Nodes;

/// <summary>
/// Queries that use all permits of a node. Each reads the events of some accounts again and again, and checks that they are complete.
/// </summary>
internal sealed class NodeLoad(JournalReader reader)
{
    private const int Queries = 8;

    private bool _hasRead;

    internal void Start()
    {
        for (var query = 0; query < Queries; query++)
            _ = RunAsync(NodeTables.SlowAccount(query));
    }

    private async Task RunAsync(string account)
    {
        try
        {
            while (true)
                await ReadAsync(account);
        }
        catch (ObjectDisposedException)
        {
            // The node ends.
        }
        catch (Exception error)
        {
            Console.WriteLine($"wrong: {error}");
        }
    }

    private async Task ReadAsync(string account)
    {
        var last = 0L;
        await foreach (var each in reader.CurrentEventsByPersistenceId(account))
        {
            if (each.SequenceNumber != last + 1)
                Console.WriteLine($"wrong: {account} has {each.SequenceNumber} after {last}");
            last = each.SequenceNumber;
        }
        // The first answer shows that the node has its share of the budget.
        if (!_hasRead)
            Console.WriteLine("reading");
        _hasRead = true;
    }
}
