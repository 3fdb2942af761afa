using System.Data.Common;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Throttled.Projections.Databases;
using Throttled.Projections.Handlers;
using Throttled.Projections.Merging;

namespace Throttled.Projections;

/// <summary>
/// Describes the table of an <see cref="EntityStateHandler{TState}"/>. Its columns are <c>persistence_id</c> (the key), <c>sequence_number</c> (of the last
/// event that was applied), <c>state</c> (JSON; in PostgreSQL <c>jsonb</c>), and those that <c>Column</c> adds. Or it has no JSON: then the state is in the
/// columns alone. Each method returns a new description, so one can be kept in a static field.
/// <code>
/// private static readonly EntityTable&lt;Order> Table = new EntityTable&lt;Order>(() => new("", IsShipped: false))
///     .Column("product", order => order.Product, (order, product) => order with { Product = product })
///     .Column("is_shipped", order => order.IsShipped, (order, isShipped) => order with { IsShipped = isShipped });
/// </code>
/// </summary>
/// <typeparam name="TState">The state of an entity.</typeparam>
public sealed class EntityTable<TState>
    where TState : class
{
    private const string Id = "persistence_id", Number = "sequence_number", State = "state";

    // The first loaded column of the query.
    private const int Loaded = 2;

    private readonly JsonTypeInfo<TState>? _type;
    private readonly MergeTable<EntityRow<TState>> _table;
    private readonly IReadOnlyList<MergeColumn> _loaded;
    private readonly Func<DbDataReader, TState> _load;

    /// <summary>A table whose states are written and read as JSON by reflection, or by the resolver of the options.</summary>
    /// <param name="options">The options; they are copied. By default those of System.Text.Json. The copy reads metadata such as <c>$type</c> at any place,
    /// because PostgreSQL's <c>jsonb</c> stores properties in an order of its own.</param>
    public EntityTable(JsonSerializerOptions? options = null)
        : this(TypeOf(options is null ? new() : new(options)))
    {
    }

    /// <summary>A table whose states are written and read as JSON without reflection.</summary>
    /// <param name="type">From a <see cref="System.Text.Json.Serialization.JsonSerializerContext"/>. If the type is polymorphic, its context needs
    /// <see cref="JsonSerializerOptions.AllowOutOfOrderMetadataProperties"/> on PostgreSQL.</param>
    public EntityTable(JsonTypeInfo<TState> type)
        : this(
            type, Json, [Json.Columns[^1]],
            row => JsonSerializer.Deserialize(row.GetString(Loaded), type) ?? throw new JsonException("The stored state is null.")) =>
        ArgumentNullException.ThrowIfNull(type);

    /// <summary>
    /// A table without JSON. Each value of a state that is needed again must have a column that is also read:
    /// <see cref="Column{TValue}(string, Func{TState, TValue}, Func{TState, TValue, TState})"/>.
    /// </summary>
    /// <param name="first">Creates the state into which the columns of a row are read.</param>
    public EntityTable(Func<TState> first)
        : this(null, Empty, [], _ => first()) => ArgumentNullException.ThrowIfNull(first);

    private EntityTable(JsonTypeInfo<TState>? type, MergeTable<EntityRow<TState>> table, IReadOnlyList<MergeColumn> loaded, Func<DbDataReader, TState> load) =>
        (_type, _table, _loaded, _load) = (type, table, loaded, load);

    private static MergeTable<EntityRow<TState>> Empty =>
        new MergeTable<EntityRow<TState>>().Key(Id, row => row.PersistenceId).Set(Number, row => row.SequenceNumber).DeleteWhen(row => row.State is null);

    private static MergeTable<EntityRow<TState>> Json => Empty.Set(State, row => row.Json).Cast(State, "jsonb");

    /// <summary>
    /// Adds a column with a value of the state, for queries and indexes. It is only written: the handler does not load it. The column allows null. A later
    /// change of the columns needs a rebuild, which creates a new table.
    /// </summary>
    /// <typeparam name="TValue">The type of the column: one of those that <see cref="MergeTable{TRow}"/> has.</typeparam>
    /// <param name="name">The column's name. In PostgreSQL, write it in lower case.</param>
    /// <param name="value">Returns the value.</param>
    /// <exception cref="ArgumentException">The column was added before, or cannot have this type.</exception>
    public EntityTable<TState> Column<TValue>(string name, Func<TState, TValue> value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return new(_type, _table.Set(name, row => value(row.State!)), _loaded, _load);
    }

    /// <summary>
    /// Adds a column to a table without JSON that is written and also read. The read value is the one that the database has stored: PostgreSQL stores times
    /// to the microsecond, and SQL Server decimals as <see cref="MergeTable{TRow}"/> says. Otherwise as the other overload.
    /// </summary>
    /// <typeparam name="TValue">As in the other overload.</typeparam>
    /// <param name="name">The column's name. In PostgreSQL, write it in lower case.</param>
    /// <param name="value">Returns the value.</param>
    /// <param name="set">Returns the state with a value that was read. It may change the state and return it.</param>
    /// <exception cref="ArgumentException">The column was added before, or cannot have this type.</exception>
    /// <exception cref="InvalidOperationException">The table has JSON.</exception>
    public EntityTable<TState> Column<TValue>(string name, Func<TState, TValue> value, Func<TState, TValue, TState> set)
    {
        ArgumentNullException.ThrowIfNull(set);
        if (_type is not null)
            throw new InvalidOperationException($"The states are loaded from JSON, so the column '{name}' is not read. Leave out 'set', or create the table with a function that returns the first state.");
        var table = Column(name, value)._table;
        var (column, index, load) = (table.Columns[^1], Loaded + _loaded.Count, _load);
        return new(null, table, [.. _loaded, column], row => set(load(row), row.ValueOf<TValue>(index, column)));
    }

    // The condition protects a table of the application that has the same name: without these columns the statement fails.
    internal Task CreateAsync(ReadModelScope scope, CancellationToken cancellation)
    {
        var table = ReadModelDatabase.Quote(scope.Version);
        var has = string.Concat(_loaded.Select(column => $" AND ({table}.{MergeText.Quote(column.Name)} IS NULL OR {table}.{MergeText.Quote(column.Name)} IS NOT NULL)"));
        return scope.ExecuteAsync(
            $"{scope.Dialect.CreateTable(table, _table.Columns)}; DELETE FROM {table} WHERE {Id} IS NOT NULL AND {Number} >= 0{has}", cancellation);
    }

    internal static Task DropAsync(ReadModelScope scope, CancellationToken cancellation) =>
        scope.ExecuteAsync($"DROP TABLE IF EXISTS {ReadModelDatabase.Quote(scope.Version)}", cancellation);

    /// <summary>Loads the rows of all persistence ids of a batch. One that has no row in the table gets an empty one.</summary>
    internal async Task<Dictionary<string, EntityRow<TState>>> LoadAsync(ProjectionBatch batch, CancellationToken cancellation)
    {
        var rows = new Dictionary<string, EntityRow<TState>>(StringComparer.Ordinal);
        foreach (var each in batch)
            rows.TryAdd(each.PersistenceId, new(each.PersistenceId) { Ordering = each.Ordering });
        var (dialect, transaction) = (batch.Dialect, batch.Merging);
        var ids = new SqlRows(("id", rows.Keys.ToArray()));
        var columns = string.Concat(_loaded.Select(column => $", {dialect.Read($"t.{MergeText.Quote(column.Name)}", column.Type)}"));
        var command = SqlStatement.Of(
            transaction, dialect,
            $"SELECT t.{Id}, t.{Number}{columns} FROM {dialect.Rows(ids)} JOIN {ReadModelDatabase.Quote(batch.Version)} AS t ON {dialect.Same($"t.{Id}", "r.id")}{dialect.RowByRow}", []);
        await SqlStatement.ReadForAsync(command, isPrepared: true, ids, dialect, Filled, cancellation).ConfigureAwait(false);
        return rows;

        EntityRow<TState> Filled(DbDataReader stored)
        {
            var row = rows[stored.GetString(0)];
            row.Fill(stored.GetInt64(1), Named(row, () => _load(stored)));
            return row;
        }
    }

    internal Task SaveAsync(ProjectionBatch batch, IEnumerable<EntityRow<TState>> rows, CancellationToken cancellation)
    {
        EntityRow<TState>[] changed = [.. rows.Where(row => row.IsChanged)];
        foreach (var row in changed.Where(row => _type is not null && row.State is not null))
            row.Json = Named(row, () => JsonSerializer.Serialize(row.State!, _type!));
        return _table.WriteAsync(batch, batch.Version, changed, cancellation);
    }

    // Only events of this entity fail, and not the whole batch.
    private T Named<T>(EntityRow<TState> row, Func<T> convert)
    {
        try
        {
            return convert();
        }
        catch (Exception error) when (error is not (OperationCanceledException or DbException))
        {
            throw new EventFailedException(row.Ordering, new InvalidOperationException(
                $"The state of '{row.PersistenceId}' cannot be converted between {typeof(TState).Name} and {(_type is null ? "columns" : "JSON")}. {error.Message} "
                + $"If the type has changed, rebuild the projection. Otherwise correct '{nameof(EntityTable<>)}'.", error));
        }
    }

    private static JsonTypeInfo<TState> TypeOf(JsonSerializerOptions options)
    {
        options.AllowOutOfOrderMetadataProperties = true;
        options.MakeReadOnly(populateMissingResolver: true);
        return (JsonTypeInfo<TState>)options.GetTypeInfo(typeof(TState));
    }
}
