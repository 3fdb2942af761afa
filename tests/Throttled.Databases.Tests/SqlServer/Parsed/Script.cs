using System.Reflection;
using System.Text.RegularExpressions;
using Microsoft.SqlServer.TransactSql.ScriptDom;

namespace Throttled.Journal.SqlServer.Tests.Parsed;

/// <summary>A SQL text, parsed by Microsoft's parser.</summary>
internal sealed partial class Script
{
    private readonly TSqlFragment _root;

    private Script(TSqlFragment root) => _root = root;

    /// <summary>Parses a text for a version of SQL Server.</summary>
    /// <returns>The script and its errors, with line and column.</returns>
    internal static (Script Script, IReadOnlyList<string> Errors) Read(string sql, SqlVersion version)
    {
        // The driver's sessions have this setting too.
        var root = TSqlParser.CreateParser(version, initialQuotedIdentifiers: true).Parse(new StringReader(sql), out var errors);
        return (new(root), [.. errors.Select(error => $"{error.Line}:{error.Column}: {error.Message}")]);
    }

    /// <summary>Parses a text that has no errors.</summary>
    internal static Script Of(string sql)
    {
        var (script, errors) = Read(sql, SqlVersion.Sql130);
        Assert.Empty(errors);
        return script;
    }

    /// <summary>A script that these tests embed.</summary>
    internal static string Embedded(string name)
    {
        using var resource = Assembly.GetExecutingAssembly().GetManifestResourceStream(name)!;
        using var reader = new StreamReader(resource);
        return reader.ReadToEnd();
    }

    /// <summary>All parts of a kind, at any depth.</summary>
    internal IReadOnlyList<T> All<T>()
        where T : TSqlFragment
    {
        var visitor = new Collector<T>();
        _root.Accept(visitor);
        return visitor.Found;
    }

    /// <summary>A part's own text.</summary>
    internal static string TextOf(TSqlFragment part) =>
        string.Concat(part.ScriptTokenStream.Skip(part.FirstTokenIndex).Take(part.LastTokenIndex - part.FirstTokenIndex + 1).Select(token => token.Text));

    /// <summary>The statement's parameters, <c>@p1</c> and so on.</summary>
    internal IReadOnlyList<string> Parameters() =>
        [.. All<VariableReference>().Select(variable => variable.Name).Where(name => Parameter().IsMatch(name)).Distinct().Order(StringComparer.Ordinal)];

    /// <summary>The server's functions that it calls, except those with their own syntax.</summary>
    internal IEnumerable<string> Functions() => All<FunctionCall>().Where(call => call.CallTarget is null).Select(call => call.FunctionName.Value);

    private sealed class Collector<T> : TSqlFragmentVisitor
        where T : TSqlFragment
    {
        internal List<T> Found { get; } = [];

        public override void Visit(TSqlFragment fragment)
        {
            if (fragment is T found)
                Found.Add(found);
        }
    }

    [GeneratedRegex("^@p[0-9]+$")]
    private static partial Regex Parameter();
}
