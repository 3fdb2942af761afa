namespace CrushTest.Show;

/// <summary>What came of a crush test, for people.</summary>
internal interface IReport
{
    IEnumerable<ReportRow> Rows { get; }

    /// <summary>What the engine warned of in its log, the first of each kind.</summary>
    IReadOnlyList<string>? Warnings { get; }

    /// <summary>Why the first of the failed queries failed.</summary>
    string? FirstFailure { get; }

    bool IsFlawless { get; }
}

/// <summary>One line of the table.</summary>
internal sealed record ReportRow(string Name, string Value, string Note = "");
