using CrushTest.Settings;

namespace CrushTest.Databases;

/// <summary>The kinds of databases that a crush test knows. The first is taken where none is named.</summary>
internal sealed class CrushKinds(params IReadOnlyList<CrushKind> kinds)
{
    private const string Elsewhere = "sqlserver";

    /// <summary>Those whose drivers every package source has.</summary>
    internal static CrushKinds Common { get; } = new(CrushKind.Sqlite, CrushKind.PostgreSql);

    internal CrushKind First => kinds[0];

    /// <summary>As in "sqlite, postgres or sqlserver", which is one of them also where another program has it.</summary>
    internal string Names => $"{string.Join(", ", kinds.Select(kind => kind.Option).Where(option => option != Elsewhere))} or {Elsewhere}";

    /// <summary>The environment variables that hold connection strings, as in "$THROTTLED_POSTGRES for postgres".</summary>
    internal string Variables =>
        string.Join(", ", kinds.Where(kind => kind.Variable is not null).Select(kind => $"${kind.Variable} for {kind.Option}"));

    /// <exception cref="CrushException">There is none of this name.</exception>
    internal CrushKind Named(string option) => kinds.FirstOrDefault(kind => kind.Option == option) ?? throw new CrushException(
        option == Elsewhere
            ? "--database is 'sqlserver'; this program is without its driver: start samples/CrushTest.SqlServer, as "
                + "'./build.sh crush --database sqlserver --connection …' does."
            : $"--database is '{option}'; it must be {Names}. Leave it out for {First.Option}.");
}
