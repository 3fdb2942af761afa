using System.Reflection;

namespace Throttled.Journal.SqlServer.Tests.Contract;

/// <summary>The rights of the readers' user.</summary>
internal static class Rights
{
    /// <summary>The rights of docs/operating/rights.md for a reader that is opened before its tables exist.</summary>
    internal static string OnWhatComes(string reader, JournalTables tables) =>
        $"""
        IF DATABASE_PRINCIPAL_ID('{reader}') IS NULL CREATE USER [{reader}] FOR LOGIN [{reader}];
        GRANT SELECT ON SCHEMA::[{(tables.Schema ?? "dbo").Replace("]", "]]")}] TO [{reader}]
        """;

    /// <summary>The script of the documentation, with the names of the journal.</summary>
    internal static string OfReader(string reader, JournalTables tables) => Script()
        .With("journal_reader", reader)
        .With("dbo", tables.Schema ?? "dbo")
        .With("journal", tables.JournalTable)
        .With("tags", tables.TagTable);

    private static string With(this string script, string name, string own)
    {
        var parts = script.Split($"'{name}'");
        Assert.Equal(2, parts.Length);
        return $"{parts[0]}'{own.Replace("'", "''")}'{parts[1]}";
    }

    private static string Script()
    {
        using var resource = Assembly.GetExecutingAssembly().GetManifestResourceStream("reader-sqlserver.sql")!;
        using var reader = new StreamReader(resource);
        return reader.ReadToEnd();
    }
}
