using System.Collections.Concurrent;
using System.Text.RegularExpressions;
using Throttled.Projections.Databases;
using Throttled.Projections.Merging;

namespace Throttled.Projections;

/// <summary>
/// Describes how changes are merged into a table of the read model. PostgreSQL and SQL Server write all rows of a call at once, SQLite with one
/// prepared statement. A row that does not exist is inserted; into an existing row the change is merged, column by column. Each method returns a new
/// description, so one can be kept in a static field and used by all lanes at the same time.
/// <code>
/// private static readonly MergeTable&lt;AccountChange> Accounts = new MergeTable&lt;AccountChange>()
///     .Key("account_id", c => c.Id).SetUnlessNull("owner", c => c.Owner).Add("balance", c => c.Delta).DeleteWhen(c => c.IsClosed);
/// </code>
/// The keys must be the table's primary key, or have a unique index of exactly these columns. Values may be string, long, int, short, double,
/// float, decimal, bool, Guid, DateTime in UTC, DateTimeOffset, byte[], or null. Names are quoted: in PostgreSQL, write them in lower case unless the
/// table was created with quoted names. PostgreSQL stores times to the microsecond. In SQLite, decimals, Guids and times are text, as
/// Microsoft.Data.Sqlite writes them. Decimals cannot be added or compared there. In SQLite, a sum beyond the range of long becomes a floating-point
/// number; in a STRICT table it fails.
/// <para>
/// SQL Server compares a text key as the collation of its column does. In most collations, keys that differ only in case are equal: two of them in one call
/// are refused, and in two calls they are merged into one row. So give the column <c>COLLATE Latin1_General_100_BIN2</c>. In all collations, blanks at the
/// end of a text do not count, and in bytes zeros at the end do not. Such keys are never merged, but the unique index refuses the second one (error 2627).
/// A text key is in an <c>nvarchar</c> column of at most 850 characters, or 450 in a clustered index; a longer key is an error. For a <c>varchar</c> column,
/// call <see cref="Cast"/> with <c>varchar(8000)</c>, or each write may read the whole table; a shorter type would cut a longer key. Decimals are sent with 19
/// digits before the point and 18 after it; for others, call <see cref="Cast"/>. SQL Server has no infinity and no NaN.
/// </para>
/// </summary>
/// <typeparam name="TRow">A change of one row.</typeparam>
public sealed partial class MergeTable<TRow>
{
    private readonly ConcurrentDictionary<(ReadModelDialect Dialect, string Table), MergeStatements> _statements = new();
    private readonly MergePlan<TRow> _plan;
    private readonly IReadOnlyList<MergeColumn<TRow>> _keys;

    /// <summary>A table without columns.</summary>
    public MergeTable()
        : this(new())
    {
    }

    private MergeTable(MergePlan<TRow> plan) => (_plan, _keys) = (plan, [.. plan.Columns.Where(column => column.Rule == MergeRule.Key)]);

    /// <summary>Sets the schema of the table, or on SQLite the attached database. By default the connection's own search order applies.</summary>
    /// <exception cref="ArgumentException">It is not a valid name.</exception>
    public MergeTable<TRow> Schema(string schema) => new(_plan with { Schema = MergeName.Checked(schema, "schema") });

    /// <summary>Adds a column that finds the row, alone or with other key columns. Its values are never null, and not double, float or decimal.</summary>
    /// <exception cref="ArgumentException">The column was added before, or this type cannot be a key.</exception>
    public MergeTable<TRow> Key<TValue>(string column, Func<TRow, TValue> value) => With(column, MergeRule.Key, value);

    /// <summary>Adds a column whose value replaces the stored one, even if it is null.</summary>
    /// <exception cref="ArgumentException">The column was added before, or cannot have this type.</exception>
    public MergeTable<TRow> Set<TValue>(string column, Func<TRow, TValue> value) => With(column, MergeRule.Set, value);

    /// <summary>
    /// Adds a column whose value replaces the stored one, unless it is null. The column must allow null, without NOT NULL: PostgreSQL and SQLite check
    /// the new row before they look for an existing one.
    /// </summary>
    /// <exception cref="ArgumentException">The column was added before, or cannot have this type.</exception>
    public MergeTable<TRow> SetUnlessNull<TValue>(string column, Func<TRow, TValue> value) => With(column, MergeRule.SetUnlessNull, value);

    /// <summary>Adds a column whose value is added to the stored one. Null counts as 0, in the row and in the table. On SQLite it is no decimal.</summary>
    /// <exception cref="ArgumentException">The column was added before, or is not a number.</exception>
    public MergeTable<TRow> Add<TValue>(string column, Func<TRow, TValue> value) => With(column, MergeRule.Add, value);

    /// <summary>Adds a column that keeps the larger of the value and the stored one. If one of them is null, the other is kept. On SQLite it is no decimal.</summary>
    /// <exception cref="ArgumentException">The column was added before, or is neither a number nor a time.</exception>
    public MergeTable<TRow> Max<TValue>(string column, Func<TRow, TValue> value) => With(column, MergeRule.Max, value);

    /// <summary>Adds a column that keeps the smaller of the value and the stored one. If one of them is null, the other is kept. On SQLite it is no decimal.</summary>
    /// <exception cref="ArgumentException">The column was added before, or is neither a number nor a time.</exception>
    public MergeTable<TRow> Min<TValue>(string column, Func<TRow, TValue> value) => With(column, MergeRule.Min, value);

    /// <summary>
    /// Sets a column's type in PostgreSQL and SQL Server, if it is one that no .NET value has: <c>jsonb</c>, <c>citext</c>, an enumeration;
    /// <c>varchar(50)</c>, <c>decimal(28, 28)</c>. SQLite ignores it.
    /// </summary>
    /// <param name="column">A column that was added before.</param>
    /// <param name="postgreSqlType">The type as PostgreSQL writes it, without quotes. It becomes part of the statement. Null for the type of the .NET value.</param>
    /// <param name="sqlServerType">The same for SQL Server.</param>
    /// <exception cref="ArgumentException">There is no such column, or a type contains characters that are not allowed.</exception>
    public MergeTable<TRow> Cast(string column, string? postgreSqlType, string? sqlServerType = null) =>
        Array.Find([postgreSqlType, sqlServerType], type => type is not null && !TypeName().IsMatch(type)) is { } wrong
            ? throw new ArgumentException(
                $"The type of the column '{column}' is '{wrong}'; it must be letters, digits, and _ . , ( ) [ ] between them. Give it as in jsonb or numeric(12, 2).")
            : new(_plan.WithCast(column, postgreSqlType, sqlServerType));

    /// <summary>Deletes the rows for which the condition is true; nothing of them is written.</summary>
    /// <exception cref="ArgumentException">The method was called before.</exception>
    public MergeTable<TRow> DeleteWhen(Func<TRow, bool> condition) => new(_plan with { Delete = Once(_plan.Delete, condition, nameof(DeleteWhen)) });

    /// <summary>
    /// Replaces the rows for which the condition is true: nothing of the stored row is kept. An example is an account that is closed and opened again
    /// in one batch. If <see cref="DeleteWhen"/> is true as well, the row is only deleted.
    /// </summary>
    /// <exception cref="ArgumentException">The method was called before.</exception>
    public MergeTable<TRow> ReplaceWhen(Func<TRow, bool> condition) => new(_plan with { Replace = Once(_plan.Replace, condition, nameof(ReplaceWhen)) });

    /// <summary>
    /// Writes changes in a transaction, ordered by key, so transactions that merge into the same rows wait for each other and do not
    /// deadlock. If they also delete or replace shared rows, PostgreSQL or SQL Server may abort one of them, and its batch is repeated. So may SQL Server
    /// if the table has other indexes, if a text key has no binary collation, or if the keys were not added in the order of the index. It locks the place of
    /// a new key until the commit, and writes at most 2,000 rows in one statement.
    /// </summary>
    /// <param name="transaction">The transaction that writes the rows: the batch of a <see cref="BatchHandler"/>, or the transaction of an event.</param>
    /// <param name="table">The table's name. It is quoted, so a dot is part of the name. To allow rebuilds, derive it from
    /// <see cref="ReadModelTransaction.Version"/>.</param>
    /// <param name="rows">The changes, one for each key; may be empty.</param>
    /// <param name="cancellationToken">Cancels the call.</param>
    /// <exception cref="ArgumentException">The table's name is not valid.</exception>
    /// <exception cref="InvalidOperationException">There is no key column, two rows have the same key, a value cannot be stored, or the database does
    /// not support a rule.</exception>
    public async Task WriteAsync(ReadModelTransaction transaction, string table, IReadOnlyCollection<TRow> rows, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(transaction);
        ArgumentNullException.ThrowIfNull(rows);
        var statements = StatementsFor(transaction.Dialect, MergeName.Checked(table, "table"));
        var sorted = new SortedRows<TRow>(_keys, transaction.Dialect.Keys, rows);
        await RunAsync(transaction, statements.Delete, _keys, sorted.Where(row => IsDeleted(row) || IsReplaced(row)), cancellationToken).ConfigureAwait(false);
        await RunAsync(transaction, statements.Upsert, _plan.Columns, sorted.Where(row => !IsDeleted(row)), cancellationToken).ConfigureAwait(false);
    }

    internal IReadOnlyList<MergeColumn> Columns => _plan.Columns;

    private static async Task RunAsync(
        ReadModelTransaction writer, string text, IReadOnlyList<MergeColumn<TRow>> columns, TRow[] rows, CancellationToken cancellation)
    {
        if (rows.Length == 0)
            return;
        var (dialect, transaction) = (writer.Dialect, writer.Merging);
        foreach (var some in rows.Chunk(dialect.MostRows ?? rows.Length))
        {
            SqlRows values = new([.. columns.Select((column, i) => (dialect.MergeParameter(i), dialect.MergeValues(column.Read(some))))]);
            // Npgsql keeps prepared statements by their text, and keeps them while the connection is in the pool
            // (https://www.npgsql.org/doc/prepare.html). So preparing costs a round trip only the first time.
            await SqlStatement.ExecuteForAsync(
                SqlStatement.Of(transaction, dialect, text, []), isPrepared: true, values, dialect, cancellation).ConfigureAwait(false);
        }
    }

    private MergeStatements StatementsFor(ReadModelDialect dialect, string table) => _keys.Count > 0
        ? _statements.GetOrAdd((dialect, table), key => key.Dialect.Merge(MergeText.Table(_plan.Schema, key.Table), _plan.Columns))
        : throw new InvalidOperationException($"The description of the table '{table}' has no key column; call Key for each column of its primary key.");

    private bool IsDeleted(TRow row) => _plan.Delete?.Invoke(row) == true;

    private bool IsReplaced(TRow row) => _plan.Replace?.Invoke(row) == true;

    private MergeTable<TRow> With<TValue>(string column, MergeRule rule, Func<TRow, TValue> value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return new(_plan.With(new MergeColumn<TRow, TValue>(MergeName.Checked(column, "column"), rule, value)));
    }

    private static Func<TRow, bool> Once(Func<TRow, bool>? known, Func<TRow, bool> condition, string method)
    {
        ArgumentNullException.ThrowIfNull(condition);
        return known is null ? condition : throw new ArgumentException($"{method} was called before; give one condition, joined by ||.");
    }

    [GeneratedRegex(@"^[A-Za-z_][A-Za-z0-9_ .,()\[\]]*\z")]
    private static partial Regex TypeName();
}
