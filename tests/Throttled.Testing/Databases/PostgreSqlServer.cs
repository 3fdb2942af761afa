using System.Data.Common;
using System.Diagnostics;
using System.Globalization;

namespace Throttled.Testing;

/// <summary>
/// A separate PostgreSQL server, with its data in a temporary directory, on a free port of the loopback interface, with the
/// binaries of this machine. When it is disposed, or when this process ends, it is stopped and its directory is removed. Not
/// thread-safe, except for <see cref="CreateDatabase"/>.
/// </summary>
public sealed partial class PostgreSqlServer : IDisposable
{
    /// <summary>The superuser of every such server.</summary>
    public const string User = "postgres";

    /// <summary>The superuser's password. The server checks passwords, so it refuses a wrong one.</summary>
    public const string Password = "throttled";

    /// <summary>A role of every such server that may only log in; its password is <see cref="Password"/>.</summary>
    public const string Reader = "journal_reader";

    private readonly PostgreSqlCommands _commands;
    private readonly DirectoryInfo _directory;
    private readonly Dictionary<string, string> _settings;
    private readonly PostgreSqlGuard? _guard;
    private readonly MovableClock? _clock;
    private string? _access;
    private bool _disposed;

    private PostgreSqlServer(PostgreSqlBinaries binaries, DirectoryInfo directory, Dictionary<string, string> settings, bool hasClock = false)
    {
        _commands = new(binaries, Password);
        _directory = directory;
        _settings = settings;
        _clock = hasClock ? new(Path.Combine(directory.FullName, "clock")) : null;
        Port = LoopbackPort.Choose();
        _guard = PostgreSqlGuard.Of(directory.FullName, _commands.AsOwner("pg_ctl"));
        _pool = new(NewDatabase, IsEmptied);
    }

    /// <summary>Whether the server's binaries exist, on this machine or in the image that the environment names.</summary>
    public static bool IsInstalled => PostgreSqlTests.Absence is null;

    /// <summary>The port on the loopback interface, the same over restarts.</summary>
    public int Port { get; }

    private string Data => Path.Combine(_directory.FullName, "data");

    /// <summary>Creates a server and starts it; it accepts connections when this method returns.</summary>
    /// <param name="maxConnections">The server's <c>max_connections</c>.</param>
    /// <param name="fsync">Whether commits reach the disk. If not, a crash of the machine (not of the server) loses data.</param>
    /// <param name="settings">Further settings as in postgresql.conf; they win over those that are set here.</param>
    /// <param name="tls">The certificates; the server then accepts only encrypted connections. Null for no encryption.</param>
    /// <param name="hasClock">Whether <see cref="MoveClock"/> can move its clock, which needs Debian's package faketime.</param>
    /// <exception cref="InvalidOperationException">There are no binaries, or the server did not start.</exception>
    public static PostgreSqlServer Start(
        int maxConnections = 100, bool fsync = false, IReadOnlyDictionary<string, string>? settings = null, PostgreSqlTls? tls = null, bool hasClock = false)
    {
        var binaries = PostgreSqlBinaries.Find() ?? throw new InvalidOperationException(
            "PostgreSQL's server is not installed: neither /usr/lib/postgresql/*/bin nor the directory of pg_config has initdb.");
        var directory = Directory.CreateTempSubdirectory("throttled-postgresql-");
        var server = new PostgreSqlServer(binaries, directory, Settings(maxConnections, fsync, settings), hasClock);
        try
        {
            server.Initialize(tls);
            server.Start();
            server.CreateReader();
            return server;
        }
        catch
        {
            server.Dispose();
            throw;
        }
    }

    /// <summary>A connection string for the superuser. A database and further settings may be appended.</summary>
    public string ConnectionString(string database = "postgres") =>
        $"Host=127.0.0.1;Port={Port};Username={User};Password={Password};Database={database}";

    /// <summary>Dumps a database of this server. Thread-safe.</summary>
    /// <returns>Replaces the database's current content by the dump.</returns>
    public Action Dump(string connectionString)
    {
        var file = Path.Combine(_directory.FullName, Path.GetRandomFileName());
        string[] target = ["--host=127.0.0.1", Invariant($"--port={Port}"), $"--username={User}", $"--dbname={DatabaseOf(connectionString)}"];
        _commands.Run("pg_dump", [.. target, "--clean", "--if-exists", $"--file={file}"]);
        return () => _commands.Run("psql", [.. target, "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1", $"--file={file}"]);
    }

    /// <summary>Starts the server again after <see cref="Stop"/> or <see cref="Kill"/>, on the same port.</summary>
    public void Start()
    {
        // pg_ctl waits until the server accepts connections, and redirects the server's output. Without --log, the server would
        // hold our pipe open. https://www.postgresql.org/docs/current/app-pg-ctl.html
        var log = Path.Combine(_directory.FullName, "server.log");
        try
        {
            _commands.RunAsOwner(_clock?.Environment ?? [], "pg_ctl", "start", "--wait", "--timeout=180", "--silent", $"--pgdata={Data}", $"--log={log}");
        }
        catch (InvalidOperationException error) when (File.Exists(log))
        {
            throw new InvalidOperationException($"{error.Message}\n{string.Join('\n', File.ReadLines(log).TakeLast(10))}", error);
        }
    }

    /// <summary>
    /// Stops the server as an administrator does: sessions get the error 57P01 and are closed. Harmless if the server does not
    /// run.
    /// </summary>
    public void Stop()
    {
        if (Postmaster() is { } postmaster)
        {
            postmaster.Dispose();
            _commands.RunAsOwner("pg_ctl", "stop", "--wait", "--mode=fast", "--silent", $"--pgdata={Data}");
            ForgetSessions();
        }
    }

    /// <summary>
    /// Kills the server with all its sessions, as a crash does: clients get no message. Harmless if the server does not run.
    /// </summary>
    public void Kill()
    {
        using var postmaster = Postmaster();
        if (postmaster is null)
            return;
        // All stop before one dies. Otherwise a session could end by itself, and the statement that waits for its lock would still be answered.
        Suspend(postmaster.Id);
        // Each session is a process group, so a signal to the server's group would miss it. The process tree contains it.
        postmaster.Kill(entireProcessTree: true);
        postmaster.WaitForExit();
        ForgetSessions();
    }

    /// <summary>Moves the server's clock, also while the server runs.</summary>
    /// <param name="offset">How far it is ahead of this machine's clock from now on.</param>
    public void MoveClock(TimeSpan offset) => (_clock ?? throw new InvalidOperationException("The server was started without a clock to move.")).Move(offset);

    /// <summary>Replaces the server's certificates. They are used after the configuration was loaded again.</summary>
    public void Show(PostgreSqlTls tls)
    {
        tls.Write(_directory.FullName);
        _commands.Own(_directory.FullName);
    }

    /// <summary>Refuses new connections of a user, after the configuration was loaded again. Open connections stay open.</summary>
    public void Reject(string user)
    {
        var access = Path.Combine(Data, "pg_hba.conf");
        _access ??= File.ReadAllText(access);
        File.WriteAllText(access, $"host all {user} 127.0.0.1/32 reject\n{_access}");
    }

    /// <summary>Undoes <see cref="Reject"/>, after the configuration was loaded again.</summary>
    public void RejectNobody() => File.WriteAllText(Path.Combine(Data, "pg_hba.conf"), _access);

    /// <summary>Kills the server and starts it again; it recovers its committed data.</summary>
    public void Restart()
    {
        Kill();
        Start();
    }

    public void Dispose()
    {
        if (_disposed)
            return;
        _disposed = true;
        _pool.Close();
        Kill();
        _guard?.Dispose();
        _directory.Refresh();
        if (_directory.Exists)
            _directory.Delete(recursive: true);
    }

    private void Initialize(PostgreSqlTls? tls)
    {
        tls?.Write(_directory.FullName);
        _commands.Own(_directory.FullName);
        PostgreSqlTemplate.WriteTo(_commands, _directory.FullName);
        if (tls is not null)
            PostgreSqlTls.WriteAccess(Data);
        Configure(tls);
    }

    private void Configure(PostgreSqlTls? tls = null)
    {
        var lines = _settings.Concat(tls?.Settings(_directory.FullName) ?? []).Select(setting => $"{setting.Key} = '{setting.Value}'");
        File.AppendAllLines(Path.Combine(Data, "postgresql.conf"), [Invariant($"port = {Port}"), .. lines]);
    }

    private void CreateReader() => Run(ConnectionString(), $"CREATE ROLE {Reader} LOGIN PASSWORD '{Password}'");

    private Process? Postmaster()
    {
        var file = Path.Combine(Data, "postmaster.pid");
        if (!File.Exists(file))
            return null;
        try
        {
            return Process.GetProcessById(int.Parse(File.ReadLines(file).First(), CultureInfo.InvariantCulture));
        }
        catch (ArgumentException)
        {
            return null;
        }
    }

    private static void Suspend(int postmaster)
    {
        Signals.Send("STOP", postmaster);
        Signals.Send("STOP", [.. Processes().Where(id => IsChild(id, postmaster))]);
    }

    private static IEnumerable<int> Processes()
    {
        foreach (var path in Directory.EnumerateDirectories("/proc"))
        {
            if (int.TryParse(Path.GetFileName(path), out var id))
                yield return id;
        }
    }

    // The parent is the second field after the name, which is in parentheses: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    private static bool IsChild(int process, int parent)
    {
        try
        {
            return File.ReadAllText(Invariant($"/proc/{process}/stat")) is var stat
                && stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[1] == Invariant($"{parent}");
        }
        catch (IOException)
        {
            // The process has ended meanwhile.
            return false;
        }
    }

    private static Dictionary<string, string> Settings(
        int maxConnections, bool fsync, IReadOnlyDictionary<string, string>? more)
    {
        var settings = new Dictionary<string, string>
        {
            ["listen_addresses"] = "127.0.0.1",
            ["unix_socket_directories"] = "",
            ["max_connections"] = Invariant($"{maxConnections}"),
            ["max_prepared_transactions"] = "10",
            ["shared_buffers"] = "256MB",
            ["huge_pages"] = "off",
            ["max_wal_size"] = "4GB",
            ["fsync"] = fsync ? "on" : "off",
            ["full_page_writes"] = fsync ? "on" : "off",
        };
        foreach (var (name, value) in more ?? new Dictionary<string, string>())
            settings[name] = value;
        return settings;
    }

    private static object DatabaseOf(string connectionString) =>
        new DbConnectionStringBuilder { ConnectionString = connectionString }["Database"];

    private static string Invariant(FormattableString text) => FormattableString.Invariant(text);
}
