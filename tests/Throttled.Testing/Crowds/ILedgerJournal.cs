using System.Data.Common;

namespace Throttled.Testing;

/// <summary>A journal of the default layout whose writers keep a ledger.</summary>
internal interface ILedgerJournal
{
    JournalAppender OpenAppender();

    /// <summary>Opens a connection of the driver.</summary>
    Task<DbConnection> ConnectAsync();
}
