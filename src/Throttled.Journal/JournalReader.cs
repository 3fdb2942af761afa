using Throttled.Journal.Sql;

namespace Throttled.Journal;

/// <summary>
/// Reads one journal: any number of queries over few statements. Open one per journal and process, from the database's own
/// package, and keep it. Thread-safe.
/// </summary>
public sealed class JournalReader : IAsyncDisposable
{
    private readonly IJournalDatabase _database;

    /// <exception cref="ArgumentException">An option is out of its range.</exception>
    internal JournalReader(IJournalDatabase database, JournalOptions options)
    {
        options.Validate();
        _database = database;
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => _database.DisposeAsync();
}
