using System.Reflection;

namespace Throttled.Journal.PostgreSql.Tests.Contract;

/// <summary>The rights of the readers' user.</summary>
internal static class Rights
{
    /// <summary>Revokes the rights that PUBLIC has in a new database.</summary>
    internal static string NoneToAll =>
        "DO $$ BEGIN EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database()); END $$; "
        + "REVOKE ALL ON SCHEMA public FROM PUBLIC";

    /// <summary>The rights of docs/operating/rights.md for a reader that is opened before its tables exist.</summary>
    internal static string OnWhatComes =>
        $"""
        DO $$ BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO {PostgreSqlServer.Reader}', current_database()); END $$;
        GRANT USAGE ON SCHEMA public TO {PostgreSqlServer.Reader};
        ALTER DEFAULT PRIVILEGES GRANT USAGE ON SCHEMAS TO {PostgreSqlServer.Reader};
        ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO {PostgreSqlServer.Reader};
        ALTER DEFAULT PRIVILEGES GRANT SELECT ON SEQUENCES TO {PostgreSqlServer.Reader}
        """;

    /// <summary>The script of the documentation, with the names of the journal.</summary>
    internal static string OfReader(JournalTables tables) => Script()
        .With("public", tables.Schema ?? "public")
        .With("journal", tables.JournalTable)
        .With("ordering", tables.OrderingColumn)
        .With("tags", tables.TagTable);

    private static string With(this string script, string name, string own)
    {
        var parts = script.Split($"'{name}'");
        Assert.Equal(2, parts.Length);
        return $"{parts[0]}'{own.Replace("'", "''")}'{parts[1]}";
    }

    private static string Script()
    {
        using var resource = Assembly.GetExecutingAssembly().GetManifestResourceStream("reader-postgresql.sql")!;
        using var reader = new StreamReader(resource);
        return reader.ReadToEnd();
    }
}
