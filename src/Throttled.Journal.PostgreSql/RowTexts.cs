using Npgsql;

namespace Throttled.Journal.PostgreSql;

/// <summary>The texts that rows which follow one another often share, each made once. Used by one statement.</summary>
internal sealed class RowTexts
{
    private readonly LastText _manifests = new();
    private LastText? _ids;

    internal string Manifest(NpgsqlDataReader row, int column) => _manifests.Read(row, column);

    internal string PersistenceId(NpgsqlDataReader row, int column) => (_ids ??= new()).Read(row, column);
}
