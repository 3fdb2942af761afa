using System.Collections.Concurrent;
using System.Text.RegularExpressions;
using Throttled.Projections.Databases;
using Throttled.Projections.Merging;

namespace Throttled.Projections;

/// <summary>
/// How changes go into a table of the read model: all rows of a call in one statement on PostgreSQL, and by one prepared statement on SQLite.
/// A row that is not there is inserted; into one that is there the change is merged, column by column. Each method returns a new description, so
/// that one can be kept in a static field and used by all lanes at once.
/// <code>
/// private static readonly MergeTable&lt;AccountChange> Accounts = new MergeTable&lt;AccountChange>()
///     .Key("account_id", c => c.Id).SetUnlessNull("owner", c => c.Owner).Add("balance", c => c.Delta).DeleteWhen(c => c.IsClosed);
/// </code>
/// The keys must be the primary key of the table, or have a unique index of just these columns. Values may be string, long, int, short, double,
/// float, decimal, bool, Guid, DateTime in UTC, DateTimeOffset, byte[], or null. Names are quoted: in PostgreSQL they are lower case unless the
/// table was made with quoted names. PostgreSQL keeps times to the microsecond. In SQLite, decimals, Guids and times are text as
/// Microsoft.Data.Sqlite writes them; decimals cannot be added or compared there; a sum beyond the range of long becomes a floating-point number,
/// unless the table is STRICT, where it fails.
/// </summary>
/// <typeparam name="TRow">A change of one row.</typeparam>
public sealed partial class MergeTable<TRow>
{
    private readonly ConcurrentDictionary<(MergeWriter Writer, string Table), MergeStatements> _statements = new();
    private readonly MergePlan<TRow> _plan;
    private readonly IReadOnlyList<MergeColumn<TRow>> _keys;

    /// <summary>A table without columns.</summary>
    public MergeTable()
        : this(new())
    {
    }

    private MergeTable(MergePlan<TRow> plan) => (_plan, _keys) = (plan, plan.Keys());

    /// <summary>The table is in a schema, or on SQLite in an attached database; by default it is where the connection looks first.</summary>
    /// <param name="schema">Its name.</param>
    /// <exception cref="ArgumentException">It is no name.</exception>
    public MergeTable<TRow> Schema(string schema) => new(_plan with { Schema = MergeName.Checked(schema, "schema") });

    /// <summary>A column by which the row is found, alone or with others; never null, and not a double, float or decimal.</summary>
    /// <typeparam name="TValue">The values' type.</typeparam>
    /// <param name="column">The column.</param>
    /// <param name="value">Its value in a row.</param>
    /// <exception cref="ArgumentException">The column is there already, or cannot be a key of that type.</exception>
    public MergeTable<TRow> Key<TValue>(string column, Func<TRow, TValue> value) => With(column, MergeRule.Key, value);

    /// <summary>The value takes the place of what is there, also where it is null.</summary>
    /// <typeparam name="TValue">The values' type.</typeparam>
    /// <param name="column">The column.</param>
    /// <param name="value">Its value in a row.</param>
    /// <exception cref="ArgumentException">The column is there already, or cannot have that type.</exception>
    public MergeTable<TRow> Set<TValue>(string column, Func<TRow, TValue> value) => With(column, MergeRule.Set, value);

    /// <summary>
    /// The value takes the place of what is there, and null leaves it as it is. The column must allow null, without a NOT NULL: both databases check
    /// the new row before they look for the one that is there.
    /// </summary>
    /// <typeparam name="TValue">The values' type.</typeparam>
    /// <param name="column">The column.</param>
    /// <param name="value">Its value in a row.</param>
    /// <exception cref="ArgumentException">The column is there already, or cannot have that type.</exception>
    public MergeTable<TRow> SetUnlessNull<TValue>(string column, Func<TRow, TValue> value) => With(column, MergeRule.SetUnlessNull, value);

    /// <summary>The value is added to what is there; null counts as 0, in the row and in the table.</summary>
    /// <typeparam name="TValue">A number; on SQLite not a decimal.</typeparam>
    /// <param name="column">The column.</param>
    /// <param name="value">Its value in a row.</param>
    /// <exception cref="ArgumentException">The column is there already, or is no number.</exception>
    public MergeTable<TRow> Add<TValue>(string column, Func<TRow, TValue> value) => With(column, MergeRule.Add, value);

    /// <summary>The larger of the value and what is there; of null and another, the other.</summary>
    /// <typeparam name="TValue">A number or a time; on SQLite not a decimal.</typeparam>
    /// <param name="column">The column.</param>
    /// <param name="value">Its value in a row.</param>
    /// <exception cref="ArgumentException">The column is there already, or is neither a number nor a time.</exception>
    public MergeTable<TRow> Max<TValue>(string column, Func<TRow, TValue> value) => With(column, MergeRule.Max, value);

    /// <summary>The smaller of the value and what is there; of null and another, the other.</summary>
    /// <typeparam name="TValue">A number or a time; on SQLite not a decimal.</typeparam>
    /// <param name="column">The column.</param>
    /// <param name="value">Its value in a row.</param>
    /// <exception cref="ArgumentException">The column is there already, or is neither a number nor a time.</exception>
    public MergeTable<TRow> Min<TValue>(string column, Func<TRow, TValue> value) => With(column, MergeRule.Min, value);

    /// <summary>A column of a type in PostgreSQL that no value has by itself: <c>jsonb</c>, <c>citext</c>, an enumeration. SQLite passes it over.</summary>
    /// <param name="column">A column that was given before.</param>
    /// <param name="postgreSqlType">The type as SQL has it, without quotes; it is part of the statement.</param>
    /// <exception cref="ArgumentException">There is no such column, or the type is not spelled like one.</exception>
    public MergeTable<TRow> Cast(string column, string postgreSqlType) => TypeName().IsMatch(postgreSqlType)
        ? new(_plan.WithCast(column, postgreSqlType))
        : throw new ArgumentException(
            $"The type of the column '{column}' is '{postgreSqlType}'; it must be letters, digits, and _ . , ( ) [ ] between them. Give it as in jsonb or numeric(12, 2).");

    /// <summary>Rows for which it is true are deleted, and nothing of them is written.</summary>
    /// <param name="condition">Whether the row is to go.</param>
    /// <exception cref="ArgumentException">There is one already.</exception>
    public MergeTable<TRow> DeleteWhen(Func<TRow, bool> condition) => new(_plan with { Delete = Once(_plan.Delete, condition, nameof(DeleteWhen)) });

    /// <summary>
    /// Rows for which it is true are inserted anew, and nothing is left of what was there: closed and opened again in one batch. Where
    /// <see cref="DeleteWhen"/> is true as well, the row is only deleted.
    /// </summary>
    /// <param name="condition">Whether the row takes the place of the one that is there.</param>
    /// <exception cref="ArgumentException">There is one already.</exception>
    public MergeTable<TRow> ReplaceWhen(Func<TRow, bool> condition) => new(_plan with { Replace = Once(_plan.Replace, condition, nameof(ReplaceWhen)) });

    /// <summary>
    /// Writes changes in the batch's transaction, ordered by key: transactions that merge into the same rows wait for each other and do not
    /// deadlock. Where they also delete or replace rows that they share, PostgreSQL may end one of them, and its batch is repeated.
    /// </summary>
    /// <param name="batch">Whose transaction it is.</param>
    /// <param name="table">The table's name, quoted as it is, so that a dot is a part of it. Where a rebuild is run, it should be made of <see cref="ProjectionBatch.Version"/>.</param>
    /// <param name="rows">The changes, one for each key; none is allowed.</param>
    /// <param name="cancellationToken">Gives up.</param>
    /// <exception cref="ArgumentException">The table's name is none.</exception>
    /// <exception cref="InvalidOperationException">There is no key column, two rows have the same key, a value cannot be stored, or the database cannot do it.</exception>
    public async Task WriteAsync(ProjectionBatch batch, string table, IReadOnlyCollection<TRow> rows, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(batch);
        ArgumentNullException.ThrowIfNull(rows);
        var statements = StatementsFor(batch.Dialect.Merging, MergeName.Checked(table, "table"));
        var sorted = new SortedRows<TRow>(_keys, rows);
        await RunAsync(batch, statements.Delete, _keys, sorted.Where(row => IsDeleted(row) || IsReplaced(row)), cancellationToken).ConfigureAwait(false);
        await RunAsync(batch, statements.Upsert, _plan.Columns, sorted.Where(row => !IsDeleted(row)), cancellationToken).ConfigureAwait(false);
    }

    private static async Task RunAsync(
        ProjectionBatch batch, string text, IReadOnlyList<MergeColumn<TRow>> columns, TRow[] rows, CancellationToken cancellation)
    {
        if (rows.Length == 0)
            return;
        var transaction = batch.Merging;
        var command = transaction.Connection!.CreateCommand();
        await using (command.ConfigureAwait(false))
        {
            (command.CommandText, command.Transaction) = (text, transaction);
            await batch.Dialect.Merging.RunAsync(command, columns, rows, cancellation).ConfigureAwait(false);
        }
    }

    private MergeStatements StatementsFor(MergeWriter writer, string table) => _keys.Count > 0
        ? _statements.GetOrAdd((writer, table), key => key.Writer.Spell(MergeText.Table(_plan.Schema, key.Table), _plan.Columns))
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
