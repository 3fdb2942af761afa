namespace Throttled.Faults.PostgreSql;

/// <summary>One way to break what is between the reader and its journal.</summary>
/// <param name="Name">What it is called in the table.</param>
/// <param name="Strike">Breaks it, and returns when it has hurt.</param>
/// <param name="Cure">Mends it.</param>
internal sealed record ServerFault(string Name, Func<ServerRun, Task> Strike, Func<ServerRun, Task> Cure)
{
    /// <summary>The server's <c>max_connections</c>.</summary>
    internal int Connections { get; init; } = 100;

    /// <summary>The reader's <c>StatementTimeout</c>.</summary>
    internal TimeSpan Timeout { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>Statements of the reserved permit that the server may still run, for the moment until the next probe has ended them.</summary>
    internal int LostBeside { get; init; }

    public override string ToString() => Name;
}
