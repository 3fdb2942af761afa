using Docker.DotNet.Models;
using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Configurations;
using Testcontainers.MsSql;

namespace Throttled.Testing;

/// <summary>
/// Servers in containers, of the images that the environment names. There is one container of each image. It starts when it is first needed, all tests of
/// the process share it, and Testcontainers' own reaper removes it after the process.
/// </summary>
internal static class Containers
{
    /// <summary>Names PostgreSQL's image, as in <c>postgres:17</c>.</summary>
    internal const string PostgreSqlImage = "THROTTLED_POSTGRES_IMAGE";

    /// <summary>
    /// Names SQL Server's image, as in <c>mcr.microsoft.com/mssql/server:2022-latest</c>. If you name it, you accept its
    /// licence.
    /// </summary>
    internal const string SqlServerImage = "THROTTLED_SQLSERVER_IMAGE";

    private const string SqlServerCollation = "THROTTLED_SQLSERVER_COLLATION";

    private static readonly Lazy<string> SqlServer = new(() => Task.Run(StartSqlServerAsync).GetAwaiter().GetResult());
    private static readonly Lazy<string> PostgreSql = new(() => Task.Run(StartPostgreSqlAsync).GetAwaiter().GetResult());

    /// <summary>The connection string of SQL Server's administrator. Thread-safe, like all members.</summary>
    internal static string SqlServerConnectionString => SqlServer.Value;

    /// <summary>
    /// The container with PostgreSQL's programs. It shares files, ports and processes with this machine, so tests start, kill and copy its servers
    /// like local ones.
    /// </summary>
    internal static string PostgreSqlContainer => PostgreSql.Value;

    /// <summary>The image that a variable names; null if the variable is empty.</summary>
    internal static string? Named(string variable) =>
        Environment.GetEnvironmentVariable(variable) is { } text && !string.IsNullOrWhiteSpace(text) ? text : null;

    /// <summary>Why the image that a variable names cannot run; null if it can. Null on a build server too, where its tests fail instead.</summary>
    internal static string? SkipReason(string variable) => Environment.GetEnvironmentVariable("CI") != "true" && DockerEngine.Absence is { } absence
        ? $"'{variable}' names an image, and nothing here runs it: {absence}"
        : null;

    private static async Task<string> StartSqlServerAsync()
    {
        var builder = new MsSqlBuilder(Named(SqlServerImage)!);
        var container = (Named(SqlServerCollation) is { } collation ? builder.WithEnvironment("MSSQL_COLLATION", collation) : builder).Build();
        await container.StartAsync();
        return container.GetConnectionString();
    }

    private static async Task<string> StartPostgreSqlAsync()
    {
        if (!OperatingSystem.IsLinux())
        {
            throw new PlatformNotSupportedException(
                $"'{PostgreSqlImage}' names an image, which is used on Linux only, where containers can share files, ports and processes with the machine. Leave it empty.");
        }
        var files = Path.TrimEndingDirectorySeparator(Path.GetTempPath());
        var builder = new ContainerBuilder(Named(PostgreSqlImage)!)
            .WithEntrypoint("sleep", "infinity")
            .WithBindMount(files, files)
            .WithCreateParameterModifier(Share);
        // The programs look up the name of their user, who is not in the image's list of users.
        var container = (PostgreSqlCommands.IsRoot ? builder : builder.WithBindMount("/etc/passwd", "/etc/passwd", AccessMode.ReadOnly)).Build();
        await container.StartAsync();
        return container.Id;
    }

    private static void Share(CreateContainerParameters parameters)
    {
        parameters.User = PostgreSqlCommands.Self;
        parameters.HostConfig ??= new();
        parameters.HostConfig.NetworkMode = "host";
        parameters.HostConfig.PidMode = "host";
        parameters.HostConfig.IpcMode = "host";
    }
}
