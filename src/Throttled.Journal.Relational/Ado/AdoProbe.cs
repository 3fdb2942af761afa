using System.Data.Common;
using Throttled.Journal.Database;

namespace Throttled.Journal.Relational;

/// <summary>Finds out what a server allows, and whether its tables are those of the options.</summary>
internal abstract class AdoProbe(AdoContext context)
{
    // The connections of the tail, and of the listener or of the statement that checks a broken session.
    private const int Others = 2;

    private readonly AdoDialect _dialect = context.Dialect;
    private readonly AdoSql _sql = context.Sql;
    private readonly ShardMarkSql _mark = new(context.Dialect, context.Tables);

    protected AdoContext Context { get; } = context;

    /// <exception cref="MissingTagTableException">There is no such table, though there are events.</exception>
    /// <exception cref="TagTablePendingException">There is no such table, and no event.</exception>
    /// <exception cref="MissingColumnException">A column that the reader needs does not exist.</exception>
    internal async Task<ProbeResult> RunAsync(IAdoSession session, CancellationToken cancellation)
    {
        var result = await ReadServerAsync(session, cancellation).ConfigureAwait(false);
        if (Context.Options.Shard is { } identity)
            await CheckMarkAsync(session, identity, cancellation).ConfigureAwait(false);
        else
            result = result with { Warning = result.Warning ?? await MarkWarningAsync(session, cancellation).ConfigureAwait(false) };
        if (Context.IsCsv)
            return result;
        await CheckTagTableAsync(session, cancellation).ConfigureAwait(false);
        return result with { TagWarning = await TagWarningAsync(session, cancellation).ConfigureAwait(false) };
    }

    /// <summary>Reads the server's limits, checks the journal table, and reads what the texts depend on.</summary>
    protected abstract Task<ProbeResult> ReadServerAsync(IAdoSession session, CancellationToken cancellation);

    /// <summary>The error that names the setting of a column that the journal lacks; null for other errors.</summary>
    protected MissingColumnException? MissingColumn(DbException error) => _dialect.MissingColumn(error) is { } said
        ? MissingColumnException.OfJournal(Context.Tables, _dialect, said, error)
        : null;

    /// <summary>The result for a number of connections.</summary>
    /// <param name="usable">The server's connections for ordinary users.</param>
    /// <param name="reason">What limits them, as a clause.</param>
    /// <param name="poolSize">The size of the user's pool; null if there is no limit.</param>
    /// <param name="poolSetting">The setting of that size.</param>
    protected static ProbeResult Limit(int usable, string reason, int? poolSize, string poolSetting)
    {
        var budget = new ConnectionBudget(usable, Others);
        var ceiling = budget.Statements;
        var (most, why) = poolSize is { } pool && pool - Others < ceiling
            ? (pool - Others, FormattableString.Invariant($"{poolSetting} is {pool}"))
            : (ceiling, reason);
        return new(Math.Max(1, most), why) { Budget = budget };
    }

    private async Task CheckMarkAsync(IAdoSession session, ShardIdentity identity, CancellationToken cancellation)
    {
        // Read before the mark, because a writer writes its mark first.
        var hasEvents = await HasEventsAsync(session, cancellation).ConfigureAwait(false);
        ShardMark.CheckRead(hasEvents, await ReadMarkAsync(session, cancellation).ConfigureAwait(false), identity, _mark.Journal);
    }

    private async Task<string?> MarkWarningAsync(IAdoSession session, CancellationToken cancellation)
    {
        try
        {
            return ShardMark.WarningOf(await ReadMarkAsync(session, cancellation).ConfigureAwait(false), _mark.Journal);
        }
        catch (DbException error) when (_dialect.IsRefused(error))
        {
            // A reader of a single journal needs no right on the table of marks.
            return null;
        }
    }

    private async Task<ShardMark?> ReadMarkAsync(IAdoSession session, CancellationToken cancellation) =>
        AdoDialect.IsTrue(await session.ScalarAsync(_dialect.IsThere, cancellation, _dialect.Of(_mark.Table)).ConfigureAwait(false))
            ? await session.RowAsync(_mark.Read, ShardMark.Of, cancellation, _dialect.Of(Context.Tables.JournalTable)).ConfigureAwait(false)
            : null;

    private async Task CheckTagTableAsync(IAdoSession session, CancellationToken cancellation)
    {
        try
        {
            await ReadTagTableAsync(session, cancellation).ConfigureAwait(false);
        }
        catch (DbException error) when (_dialect.MissingColumn(error) is { } said
            && MissingColumnException.OfTagTable(Context.Tables, _dialect, said, error) is { } missing)
        {
            throw missing;
        }
        catch (MissingTagTableException error)
        {
            if (!await HasEventsAsync(session, cancellation).ConfigureAwait(false))
                throw new TagTablePendingException(_sql.TagTable, error);
            // A writer may have created the table and written the first event between the two reads.
            await ReadTagTableAsync(session, cancellation).ConfigureAwait(false);
        }
    }

    private Task ReadTagTableAsync(IAdoSession session, CancellationToken cancellation) =>
        Context.Tags.RunAsync(session, () => session.ReadAsync(_sql.TagColumns, _ => true, cancellation), cancellation);

    private async Task<bool> HasEventsAsync(IAdoSession session, CancellationToken cancellation) =>
        await session.ScalarAsync(_sql.LastKey, cancellation).ConfigureAwait(false) is not null;

    private async Task<string?> TagWarningAsync(IAdoSession session, CancellationToken cancellation)
    {
        var lacks = await session.ScalarAsync(
            _dialect.LacksIndex,
            cancellation,
            _dialect.Of(_sql.TagTable),
            _dialect.Of(Context.Tables.TagColumn),
            _dialect.Of(Context.Tables.TagOrderingColumn)).ConfigureAwait(false);
        return AdoDialect.IsTrue(lacks) ? ProbeResult.NoTagIndex(Context.Tables, _sql.TagTable, _sql.CreateTagIndex) : null;
    }
}
