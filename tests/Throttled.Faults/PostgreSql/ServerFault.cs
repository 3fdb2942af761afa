namespace Throttled.Faults.PostgreSql;

/// <summary>One fault between the reader and its journal.</summary>
/// <param name="Name">Its name in the table.</param>
/// <param name="Strike">Causes the fault, and returns when it has had an effect.</param>
/// <param name="Cure">Repairs the fault.</param>
internal sealed record ServerFault(string Name, Func<ServerRun, Task> Strike, Func<ServerRun, Task> Cure)
{
    /// <summary>The server's <c>max_connections</c>.</summary>
    internal int Connections { get; init; } = 100;

    /// <summary>The reader's <c>StatementTimeout</c>.</summary>
    internal TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The number of statements of the reserved permit that the server may still run until the next probe ends them.</summary>
    internal int LostBeside { get; init; }

    public override string ToString() => Name;
}
