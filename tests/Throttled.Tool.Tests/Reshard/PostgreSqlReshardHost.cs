using System.Data.Common;
using Npgsql;
using Throttled.Journal.PostgreSql;
using Throttled.Testing;
using Throttled.Tool.Reshard;

namespace Throttled.Tool.Tests.Reshard;

/// <summary>Databases of a server that starts with the first and goes with the tests.</summary>
[ContractOn(ContractDatabase.PostgreSql)]
public sealed class PostgreSqlReshardHost : ReshardHost, IDisposable
{
    private readonly Lazy<PostgreSqlServer> _server = new(() => PostgreSqlServer.Start());

    internal override string Database => "postgres";

    internal override (string Layout, JournalTables Tables) Older => ("postgresql", JournalTables.PostgreSql);

    internal override string CreateOlder =>
        """
        CREATE TABLE public.event_journal (
            ordering BIGSERIAL NOT NULL PRIMARY KEY, persistence_id VARCHAR(255) NOT NULL, sequence_nr BIGINT NOT NULL,
            is_deleted BOOLEAN NOT NULL, created_at BIGINT NOT NULL, manifest VARCHAR(500) NOT NULL, payload JSONB NOT NULL,
            tags VARCHAR(2000) NULL, serializer_id INTEGER NULL, noted TIMESTAMPTZ DEFAULT now(), size INT GENERATED ALWAYS AS (length(manifest)) STORED,
            CONSTRAINT event_journal_uq UNIQUE (persistence_id, sequence_nr));
        CREATE INDEX of_tags ON public.event_journal (tags) WHERE tags IS NOT NULL;
        CREATE TABLE public.metadata (persistence_id VARCHAR(255) NOT NULL, sequence_nr BIGINT NOT NULL, CONSTRAINT metadata_pk PRIMARY KEY (persistence_id, sequence_nr));
        """;

    internal override string True => "true";

    internal PostgreSqlServer Server => _server.Value;

    public void Dispose()
    {
        if (_server.IsValueCreated)
            _server.Value.Dispose();
    }

    internal override string NewDatabase() => _server.Value.CreateDatabase();

    internal override async Task<DbConnection> ConnectAsync(string database)
    {
        var connection = new NpgsqlConnection($"{database};Pooling=False");
        await connection.OpenAsync();
        return connection;
    }

    internal override IShardDatabase Open(string database, JournalTables tables) => PostgreSqlShard.Open(database, tables);

    internal override JournalAppender OpenAppender(string database, JournalTables? tables) => PostgreSqlJournal.OpenAppender(database, tables);

    internal override JournalReader OpenReader(string database, JournalOptions? options) => PostgreSqlJournal.OpenReader(database, options);
}
