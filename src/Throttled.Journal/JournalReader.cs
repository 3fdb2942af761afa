using System.Buffers;
using System.Text;
using Throttled.Journal.Queries;
using Throttled.Journal.Sql;

namespace Throttled.Journal;

/// <summary>
/// Reads one journal: any number of queries over few statements. Open one per journal and process, from the database's own
/// package, and keep it. Opening does not touch the database; the first query does. Thread-safe.
/// </summary>
public sealed class JournalReader : IAsyncDisposable
{
    private readonly JournalEngine _engine;

    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    internal JournalReader(IJournalDatabase database, JournalOptions options)
        : this(new JournalEngine(database, options))
    {
    }

    internal JournalReader(JournalEngine engine) => _engine = engine;

    /// <summary>For what builds on pages instead of events.</summary>
    internal JournalEngine Engine => _engine;

    /// <summary>
    /// The events of one persistence id, and those to come: the query does not end before it has passed
    /// <paramref name="to"/>. Each event comes once, in the order of the sequence numbers; deleted ones are left out.
    /// </summary>
    /// <param name="persistenceId">The id, compared ordinally.</param>
    /// <param name="from">The first sequence number, included.</param>
    /// <param name="to">
    /// The last sequence number, included. The query ends as soon as a row at or past it exists, deleted or not, and at once
    /// where it is below <paramref name="from"/>.
    /// </param>
    /// <exception cref="ArgumentException">The id is empty, or is no well-formed UTF-16.</exception>
    /// <returns>
    /// The events. Enumerating fails with <see cref="JournalException"/> where the database refuses the query for a reason
    /// that waiting does not cure, and with <see cref="ObjectDisposedException"/> where the reader is disposed; a database that is away
    /// is waited for.
    /// </returns>
    public IAsyncEnumerable<JournalEvent> EventsByPersistenceId(string persistenceId, long from = 0, long to = long.MaxValue) =>
        ById(persistenceId, from, to, isLive: true);

    /// <summary>The events of one persistence id that are there now; otherwise as <see cref="EventsByPersistenceId"/>.</summary>
    /// <param name="persistenceId">The id, compared ordinally.</param>
    /// <param name="from">The first sequence number, included.</param>
    /// <param name="to">The last sequence number, included.</param>
    public IAsyncEnumerable<JournalEvent> CurrentEventsByPersistenceId(string persistenceId, long from = 0, long to = long.MaxValue) =>
        ById(persistenceId, from, to, isLive: false);

    /// <summary>Ends every query and waits until every statement has ended.</summary>
    public ValueTask DisposeAsync() => _engine.DisposeAsync();

    private static bool IsWellFormed(string text)
    {
        for (ReadOnlySpan<char> rest = text; !rest.IsEmpty;)
        {
            if (Rune.DecodeFromUtf16(rest, out _, out var length) != OperationStatus.Done)
                return false;
            rest = rest[length..];
        }
        return true;
    }

    private JournalEvents ById(string persistenceId, long from, long to, bool isLive)
    {
        ArgumentException.ThrowIfNullOrEmpty(persistenceId);
        if (!IsWellFormed(persistenceId))
            throw new ArgumentException("The persistence id has half of a surrogate pair; no database can hold it.", nameof(persistenceId));
        return new(_engine, new(persistenceId, new SequenceRange(from, to), isLive));
    }
}
