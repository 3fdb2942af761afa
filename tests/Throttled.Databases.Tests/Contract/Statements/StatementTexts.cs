using System.Reflection;
using System.Text;

namespace Throttled.Databases.Tests.Contract;

/// <summary>
/// The texts of one database's statements as a readable file: the cases in order, and the statements of each case by name. A text that
/// an earlier case has word for word is only named. Not thread-safe.
/// </summary>
/// <param name="database">The name of the database, for the heading.</param>
public sealed class StatementTexts(string database)
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;

    private readonly StringBuilder _file = new(
        $"""
        -- What Throttled runs on {database}, laid out in lines. Written by a test; accepted with {ApprovedStatements.Accept}=1.

        """);

    private readonly Dictionary<(string Name, string Sql), string> _caseOf = [];
    private readonly List<(string Name, string Sql)> _all = [];
    private string _case = "";

    /// <summary>Each added text with its name.</summary>
    public IReadOnlyList<(string Name, string Sql)> All => _all;

    /// <summary>Begins a case. Later statements belong to it.</summary>
    public StatementTexts Case(string name)
    {
        _case = name;
        _file.Append($"\n\n-- == {name} ==\n");
        return this;
    }

    public StatementTexts Add(string name, string sql)
    {
        _all.Add((name, sql));
        if (_caseOf.TryAdd((name, sql), _case))
            _file.Append($"\n-- {name}\n{SqlLines.Of(sql)};\n");
        else
            _file.Append($"\n-- {name}: as in '{_caseOf[(name, sql)]}'\n");
        return this;
    }

    /// <summary>Adds statements that run one after the other.</summary>
    public StatementTexts Add(string name, IEnumerable<string> statements)
    {
        foreach (var (index, sql) in statements.Index())
            Add(FormattableString.Invariant($"{name}, {index + 1}"), sql);
        return this;
    }

    /// <summary>Adds all texts of an object that are not private, and those of its members with a type named …Sql.</summary>
    public StatementTexts AddAll(object statements) => AddAll(statements.GetType(), statements, statements.GetType().Name);

    /// <summary>Adds all texts of a static class that are not private.</summary>
    public StatementTexts AddAll(Type type) => AddAll(type, statements: null, type.Name);

    public override string ToString() => _file.ToString();

    private StatementTexts AddAll(Type type, object? statements, string name)
    {
        foreach (var (member, value) in ValuesOf(type, statements).OrderBy(each => each.Name, StringComparer.Ordinal))
        {
            if (value is string sql)
                Add($"{name}.{member}", sql);
            else if (value.GetType().Name.EndsWith("Sql", StringComparison.Ordinal))
                AddAll(value.GetType(), value, $"{name}.{member}");
        }
        return this;
    }

    private static IEnumerable<(string Name, object Value)> ValuesOf(Type type, object? statements) =>
    [
        .. type.GetFields(Declared).Where(field => field.IsLiteral && !field.IsPrivate)
            .Select(field => (field.Name, field.GetRawConstantValue()!)),
        .. type.GetProperties(Declared)
            .Where(property => property.GetMethod is { IsPrivate: false } get && (statements is not null || get.IsStatic))
            .Where(property => property.Name != "EqualityContract")
            .Select(property => (property.Name, property.GetValue(statements)!)),
    ];
}
