using System.Data.Common;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Throttled.Projections.Databases;
using Throttled.Projections.Handlers;

namespace Throttled.Projections;

/// <summary>
/// Describes the table of an <see cref="EntityStateHandler{TState}"/>. Its columns are <c>persistence_id</c> (the key), <c>sequence_number</c> (of the last
/// event that was applied), <c>state</c> (JSON; in PostgreSQL <c>jsonb</c>), and those that <see cref="Column"/> adds. Each method returns a new
/// description, so one can be kept in a static field.
/// </summary>
/// <typeparam name="TState">The state of an entity.</typeparam>
public sealed class EntityTable<TState>
    where TState : class
{
    private const string Id = "persistence_id", Number = "sequence_number", State = "state";

    private readonly JsonTypeInfo<TState> _type;
    private readonly MergeTable<EntityRow<TState>> _table;

    /// <summary>A table whose states are written and read by reflection, or by the resolver of the options.</summary>
    /// <param name="options">The options; they are copied. By default those of System.Text.Json. The copy reads metadata such as <c>$type</c> at any place,
    /// because PostgreSQL's <c>jsonb</c> stores properties in an order of its own.</param>
    public EntityTable(JsonSerializerOptions? options = null)
        : this(TypeOf(options is null ? new() : new(options)))
    {
    }

    /// <summary>A table whose states are written and read without reflection.</summary>
    /// <param name="type">From a <see cref="System.Text.Json.Serialization.JsonSerializerContext"/>. If the type is polymorphic, its context needs
    /// <see cref="JsonSerializerOptions.AllowOutOfOrderMetadataProperties"/> on PostgreSQL.</param>
    public EntityTable(JsonTypeInfo<TState> type)
        : this(type, new MergeTable<EntityRow<TState>>()
            .Key(Id, row => row.PersistenceId).Set(Number, row => row.SequenceNumber).Set(State, row => row.Json).Cast(State, "jsonb")
            .DeleteWhen(row => row.State is null))
    {
        ArgumentNullException.ThrowIfNull(type);
    }

    private EntityTable(JsonTypeInfo<TState> type, MergeTable<EntityRow<TState>> table) => (_type, _table) = (type, table);

    /// <summary>
    /// Adds a column with a value of the state, for queries and indexes. It is written beside the JSON, which remains what the handler loads. The column
    /// allows null. A later change of the columns needs a rebuild, which creates a new table.
    /// </summary>
    /// <typeparam name="TValue">The type of the column: one of those that <see cref="MergeTable{TRow}"/> has.</typeparam>
    /// <param name="name">The column's name. In PostgreSQL, write it in lower case.</param>
    /// <param name="value">Returns the value.</param>
    /// <exception cref="ArgumentException">The column was added before, or cannot have this type.</exception>
    public EntityTable<TState> Column<TValue>(string name, Func<TState, TValue> value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return new(_type, _table.Set(name, row => value(row.State!)));
    }

    // The condition protects a table of the application that has the same name: without these columns the statement fails.
    internal Task CreateAsync(ReadModelScope scope, CancellationToken cancellation)
    {
        var table = ReadModelDatabase.Quote(scope.Version);
        return scope.ExecuteAsync(
            $"{scope.Dialect.CreateTable(table, _table.Columns)}; DELETE FROM {table} WHERE {Id} IS NOT NULL AND {Number} >= 0 AND {State} IS NOT NULL", cancellation);
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
        var command = SqlStatement.Of(
            transaction, dialect,
            $"SELECT t.{Id}, t.{Number}, t.{State} FROM {dialect.Rows(ids)} JOIN {ReadModelDatabase.Quote(batch.Version)} AS t ON {dialect.Same($"t.{Id}", "r.id")}{dialect.RowByRow}", []);
        var stored = await SqlStatement.ReadForAsync(
            command, isPrepared: true, ids, dialect,
            row => (Id: row.GetString(0), Number: row.GetInt64(1), State: row.GetString(2)), cancellation).ConfigureAwait(false);
        foreach (var (id, number, state) in stored)
            rows[id].Fill(number, Named(rows[id], () => JsonSerializer.Deserialize(state, _type) ?? throw new JsonException("The stored state is null.")));
        return rows;
    }

    internal Task SaveAsync(ProjectionBatch batch, IEnumerable<EntityRow<TState>> rows, CancellationToken cancellation)
    {
        EntityRow<TState>[] changed = [.. rows.Where(row => row.IsChanged)];
        foreach (var row in changed.Where(row => row.State is not null))
            row.Json = Named(row, () => JsonSerializer.Serialize(row.State!, _type));
        return _table.WriteAsync(batch, batch.Version, changed, cancellation);
    }

    // Only events of this entity fail, and not the whole batch.
    private static T Named<T>(EntityRow<TState> row, Func<T> convert)
    {
        try
        {
            return convert();
        }
        catch (Exception error) when (error is JsonException or NotSupportedException or InvalidOperationException)
        {
            throw new EventFailedException(row.Ordering, new InvalidOperationException(
                $"The state of '{row.PersistenceId}' cannot be converted between {typeof(TState).Name} and JSON. {error.Message} "
                + $"If the type has changed, rebuild the projection. Otherwise correct the options of '{nameof(EntityTable<>)}'.", error));
        }
    }

    private static JsonTypeInfo<TState> TypeOf(JsonSerializerOptions options)
    {
        options.AllowOutOfOrderMetadataProperties = true;
        options.MakeReadOnly(populateMissingResolver: true);
        return (JsonTypeInfo<TState>)options.GetTypeInfo(typeof(TState));
    }
}
