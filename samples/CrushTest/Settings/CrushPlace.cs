namespace CrushTest.Settings;

/// <summary>One of the databases.</summary>
/// <param name="Connection">Where it is; null for the file that the crush test makes.</param>
/// <param name="Name">In the names of files and tables.</param>
internal sealed record CrushPlace(string? Connection, string Name);
