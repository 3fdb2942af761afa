using System.CommandLine;

namespace Throttled.Tool.CommandLine;

/// <summary>Options of several commands, and checks of their values.</summary>
internal static class OptionText
{
    internal const string Sqlite = "sqlite";
    internal const string Postgres = "postgres";
    internal const string SqlServer = "sqlserver";

    internal static readonly Option<string?> Database = new("--database") { Description = "sqlite or postgres", HelpName = "NAME" };

    /// <returns>sqlite or postgres.</returns>
    /// <exception cref="CommandException">The option is missing, or is neither.</exception>
    internal static string DatabaseOf(ParseResult parsed) =>
        OneOf(parsed, Database, [Sqlite, Postgres]) ?? throw new CommandException("--database is missing; it must be sqlite or postgres.");

    /// <exception cref="CommandException">The option is given, but empty.</exception>
    internal static string? Named(ParseResult parsed, Option<string?> option) => parsed.GetValue(option) is not { } value ? null
        : value.Length > 0 ? value
        : throw new CommandException($"{option.Name} is ''; it must not be empty. Give a value, or leave it out.");

    /// <exception cref="CommandException">The option is given, but is none of the allowed values.</exception>
    internal static string? OneOf(ParseResult parsed, Option<string?> option, IReadOnlyList<string> allowed) =>
        parsed.GetValue(option) is not { } value ? null
        : allowed.Contains(value) ? value
        : throw new CommandException($"{option.Name} is '{value}'; it must be {string.Join(", ", allowed.SkipLast(1))} or {allowed[^1]}.");
}
