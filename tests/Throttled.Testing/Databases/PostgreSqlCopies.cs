namespace Throttled.Testing;

/// <summary>Copies of a whole server by <c>pg_basebackup</c>: a standby that follows it, and a backup that can replace its data.</summary>
public sealed partial class PostgreSqlServer
{
    /// <summary>
    /// Creates a hot standby that follows this server by streaming replication, and starts it. It accepts connections when this
    /// method returns.
    /// </summary>
    /// <param name="settings">Settings as in postgresql.conf; they win over those of this server.</param>
    public PostgreSqlServer StartStandby(IReadOnlyDictionary<string, string>? settings = null)
    {
        var standby = new PostgreSqlServer(
            PostgreSqlBinaries.Find()!, Directory.CreateTempSubdirectory("throttled-postgresql-"), new(settings ?? new Dictionary<string, string>(), StringComparer.Ordinal));
        try
        {
            _commands.Own(standby._directory.FullName);
            CopyTo(standby.Data, "--write-recovery-conf");
            standby.Configure();
            standby.Start();
            return standby;
        }
        catch
        {
            standby.Dispose();
            throw;
        }
    }

    /// <summary>Makes a standby the primary before this method returns. Open connections stay open.</summary>
    public void Promote() => _commands.RunAsOwner("pg_ctl", "promote", "--wait", "--timeout=60", "--silent", $"--pgdata={Data}");

    /// <summary>Copies the data while the server runs.</summary>
    /// <returns>Replaces the current data by the copy; can be called once, while the server does not run.</returns>
    public Action BackUp()
    {
        var copy = Path.Combine(_directory.FullName, Path.GetRandomFileName());
        CopyTo(copy);
        return () =>
        {
            Directory.Delete(Data, recursive: true);
            Directory.Move(copy, Data);
        };
    }

    private void CopyTo(string directory, params string[] more) => _commands.RunAsOwner(
        "pg_basebackup",
        ["--host=127.0.0.1", Invariant($"--port={Port}"), $"--username={User}", $"--pgdata={directory}", "--checkpoint=fast", "--no-sync", .. more]);
}
