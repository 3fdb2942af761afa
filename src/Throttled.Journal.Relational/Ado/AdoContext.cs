namespace Throttled.Journal.Relational;

/// <summary>How the statements of one journal are written, and their rows read.</summary>
/// <param name="Options">How the journal is read.</param>
/// <param name="Dialect">How the server spells values.</param>
/// <param name="Sql">The texts.</param>
internal sealed record AdoContext(JournalOptions Options, AdoDialect Dialect, AdoSql Sql)
{
    internal JournalTables Tables => Options.Tables;

    /// <summary>Whether the tags are in the event's row.</summary>
    internal bool IsCsv => Tables.TagMode == TagMode.Csv;

    internal AdoTags Tags { get; } = new(Dialect, Sql);

    /// <summary>Creates the decoder of a statement.</summary>
    internal RowDecoder NewDecoder() => new(Tables, Dialect, leavesOut: Options.MaxPayloadBytes is not null);
}

/// <summary>What runs the statements of one journal.</summary>
internal sealed record AdoStatements(AdoContext Context, AdoScans Scans, AdoPoll Poll, AdoProbe Probe);
