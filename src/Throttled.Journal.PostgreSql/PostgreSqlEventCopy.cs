using Npgsql;
using NpgsqlTypes;
using Throttled.Journal.Relational;

namespace Throttled.Journal.PostgreSql;

/// <summary>Writes events and tags with the COPY texts of <see cref="PostgreSqlSchema"/>.</summary>
internal sealed class PostgreSqlEventCopy(JournalTables tables)
{
    private readonly bool _csv = tables.TagMode == TagMode.Csv;

    // One id per writer, as Akka.Persistence.Sql gives one to each start of its write journal.
    private readonly string _writer = Guid.NewGuid().ToString("N");

    internal async Task WriteEventsAsync(
        NpgsqlBinaryImporter import, IReadOnlyCollection<JournalEvent> events, long[]? orderings, long now, CancellationToken cancellation)
    {
        var i = 0;
        foreach (var each in events)
        {
            await import.StartRowAsync(cancellation).ConfigureAwait(false);
            if (orderings is not null)
                await import.WriteAsync(orderings[i++], NpgsqlDbType.Bigint, cancellation).ConfigureAwait(false);
            await WriteAsync(import, each, now, cancellation).ConfigureAwait(false);
        }

        await import.CompleteAsync(cancellation).ConfigureAwait(false);
    }

    internal static async Task WriteTagsAsync(
        NpgsqlBinaryImporter import, IReadOnlyCollection<JournalEvent> events, long[] orderings, CancellationToken cancellation)
    {
        var i = 0;
        foreach (var each in events)
        {
            var ordering = orderings[i++];
            foreach (var tag in each.Tags.Distinct(StringComparer.Ordinal))
            {
                await import.StartRowAsync(cancellation).ConfigureAwait(false);
                await import.WriteAsync(ordering, NpgsqlDbType.Bigint, cancellation).ConfigureAwait(false);
                await import.WriteAsync(tag, NpgsqlDbType.Varchar, cancellation).ConfigureAwait(false);
                await import.WriteAsync(each.SequenceNumber, NpgsqlDbType.Bigint, cancellation).ConfigureAwait(false);
                await import.WriteAsync(each.PersistenceId, NpgsqlDbType.Varchar, cancellation).ConfigureAwait(false);
            }
        }

        await import.CompleteAsync(cancellation).ConfigureAwait(false);
    }

    private async Task WriteAsync(NpgsqlBinaryImporter import, JournalEvent each, long now, CancellationToken cancellation)
    {
        await import.WriteAsync(false, NpgsqlDbType.Boolean, cancellation).ConfigureAwait(false);
        await import.WriteAsync(each.PersistenceId, NpgsqlDbType.Varchar, cancellation).ConfigureAwait(false);
        await import.WriteAsync(each.SequenceNumber, NpgsqlDbType.Bigint, cancellation).ConfigureAwait(false);
        var timestamp = each.Timestamp == 0 ? now : each.Timestamp;
        await import.WriteAsync(timestamp, NpgsqlDbType.Bigint, cancellation).ConfigureAwait(false);
        await import.WriteAsync(each.Payload, NpgsqlDbType.Bytea, cancellation).ConfigureAwait(false);
        if (each.SerializerId is { } serializer)
            await import.WriteAsync(serializer, NpgsqlDbType.Integer, cancellation).ConfigureAwait(false);
        else
            await import.WriteNullAsync(cancellation).ConfigureAwait(false);
        await import.WriteAsync(each.Manifest, NpgsqlDbType.Varchar, cancellation).ConfigureAwait(false);
        if (_csv)
            await import.WriteAsync(CsvTags.Format(each.Tags, tables.TagSeparator), NpgsqlDbType.Varchar, cancellation).ConfigureAwait(false);
        if (tables.WriterUuidColumn is not null)
            await import.WriteAsync(_writer, NpgsqlDbType.Varchar, cancellation).ConfigureAwait(false);
    }
}
