namespace Throttled.Testing;

/// <summary>The data directory of a new server. initdb creates it once per process, and each server gets a copy, which takes a tenth of the time.</summary>
internal static class PostgreSqlTemplate
{
    private static readonly Lazy<DirectoryInfo> Made = new(Make);

    // Removes the directory when this process ends.
    private static PostgreSqlGuard? _guard;

    /// <summary>Writes the data directory of a new server. Thread-safe.</summary>
    /// <param name="commands">Runs the programs, as the user who owns the data.</param>
    /// <param name="directory">The server's directory, which that user owns; its data goes to <c>data</c> there.</param>
    internal static void WriteTo(PostgreSqlCommands commands, string directory)
    {
        if (OperatingSystem.IsWindows())
            Initialize(commands, directory);
        else
            commands.Run("/bin/cp", "-a", Path.Combine(Made.Value.FullName, "data"), directory);
    }

    private static DirectoryInfo Make()
    {
        var commands = new PostgreSqlCommands(PostgreSqlBinaries.Find()!, PostgreSqlServer.Password);
        var directory = Directory.CreateTempSubdirectory("throttled-postgresql-template-");
        _guard = PostgreSqlGuard.Of(directory.FullName, commands.AsOwner("pg_ctl"));
        Initialize(commands, directory.FullName);
        return directory;
    }

    private static void Initialize(PostgreSqlCommands commands, string directory)
    {
        var password = Path.Combine(directory, "password");
        File.WriteAllText(password, PostgreSqlServer.Password);
        commands.Own(directory);
        commands.RunAsOwner(
            "initdb", $"--pgdata={Path.Combine(directory, "data")}", $"--username={PostgreSqlServer.User}", $"--pwfile={password}",
            "--auth=scram-sha-256", "--no-sync", "--encoding=UTF8", "--no-locale");
    }
}
