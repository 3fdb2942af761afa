using System.Data.Common;
using Throttled.Journal;

namespace Throttled.Testing;

/// <summary>A journal of the default layout that is written to by whoever keeps a ledger of it.</summary>
internal interface ILedgerJournal
{
    JournalAppender OpenAppender();

    /// <summary>An open connection of the driver's.</summary>
    Task<DbConnection> ConnectAsync();
}
