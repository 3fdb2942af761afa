using System.Data.Common;
using System.Runtime.InteropServices;
using BankAccounts.Domain;
using BankAccounts.Handlers;

namespace Throttled.Benchmarks.Accounts.Floor;

internal sealed class Folding
{
    /// <summary>The changes by account.</summary>
    internal Dictionary<string, AccountChange> Changes { get; } = new(StringComparer.Ordinal);

    /// <summary>The ordering of the last event; 0 before the first one.</summary>
    internal long LastOrdering { get; private set; }

    internal int Read(DbDataReader row)
    {
        Changes.Clear();
        var count = 0;
        for (; row.Read(); count++)
            Add(row);
        return count;
    }

    private void Add(DbDataReader row)
    {
        LastOrdering = row.GetInt64(0);
        var id = row.GetString(1);
        ref var change = ref CollectionsMarshal.GetValueRefOrAddDefault(Changes, id, out _);
        change ??= new(id);
        change.Add(AccountFormat.Decode(row.GetString(2), row.GetFieldValue<byte[]>(3))!);
    }
}
