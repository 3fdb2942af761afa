using System.Data.Common;
using CrushTest.Floor;
using CrushTest.Settings;
using Throttled.Journal;

namespace CrushTest.Databases;

/// <summary>One database under the crush test: the engine on it, the bare driver on it, and what the test asks beside them.</summary>
internal interface ICrushDatabase : IAsyncDisposable
{
    /// <summary>As the report names it.</summary>
    string Name { get; }

    /// <summary>Where it is; no other is there.</summary>
    string Place { get; }

    JournalTables Tables { get; }

    /// <summary>The connection string of whoever reads the journal.</summary>
    string ReadersConnection { get; }

    JournalReader OpenReader(JournalOptions options);

    JournalAppender OpenAppender();

    /// <summary>The raw floor.</summary>
    IFloor OpenFloor(FloorPlan plan);

    /// <summary>What there is; null where the table is not there.</summary>
    Task<JournalSize?> SizeAsync(CancellationToken cancellation);

    Task DropAsync(CancellationToken cancellation);

    /// <summary>After a large append: what the database would do by and by, so that no round pays for it.</summary>
    Task SettleAsync(CancellationToken cancellation);

    /// <summary>Deletes the events past a sequence number.</summary>
    Task DeletePastAsync(int sequenceNumber, CancellationToken cancellation);

    /// <summary>Begins to count the engine's statements where the database shows them; null where it does not.</summary>
    Task<IStatementCount?> CountStatementsAsync(CancellationToken cancellation);

    /// <summary>Says where the database is and what to do about its error.</summary>
    CrushException Explain(DbException error);
}

/// <summary>Statements of the engine that run at once, as the database sees them.</summary>
internal interface IStatementCount : IAsyncDisposable
{
    /// <summary>The most at once so far.</summary>
    int Most { get; }

    /// <summary>Where the database shows them.</summary>
    string View { get; }
}
