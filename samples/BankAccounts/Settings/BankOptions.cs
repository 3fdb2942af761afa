using System.CommandLine.Parsing;
using System.CommandLine;
using System.Text.RegularExpressions;
using Throttled.Tool.CommandLine;

namespace BankAccounts.Settings;

/// <summary>The options that locate journal and read model; all verbs have them.</summary>
internal static partial class BankOptions
{
    /// <summary>Where the sample's own SQLite files are.</summary>
    internal const string Folder = "artifacts/bank-accounts";

    internal static readonly Option<string> Database =
        new("--database") { Description = "sqlite or postgres", HelpName = "NAME", DefaultValueFactory = _ => "sqlite", Recursive = true };

    internal static readonly Option<string?> Connection = new("--connection")
    {
        Description = $"The read model's connection string; by default {Folder}/accounts.db for sqlite, and $THROTTLED_POSTGRES for postgres",
        HelpName = "STRING",
        Recursive = true,
    };

    internal static readonly Option<string?> Journal = new("--journal")
    {
        Description = $"The journal's connection string; by default {Folder}/journal.db for sqlite, and that of the read model for postgres",
        HelpName = "STRING",
        Recursive = true,
    };

    internal static readonly Option<string> Name = new("--name")
    {
        Description = "The projection, its first version, and the view of the live one",
        HelpName = "NAME",
        DefaultValueFactory = _ => "accounts",
        Validators = { CheckName },
        Recursive = true,
    };

    internal static IEnumerable<Option> Each => [Database, Connection, Journal, Name];

    /// <exception cref="CommandException">The name of the database is not valid.</exception>
    internal static BankSettings Read(ParseResult parsed)
    {
        var database = parsed.GetValue(Database)!;
        if (database is not ("sqlite" or "postgres"))
            throw new CommandException($"--database is '{database}'; it must be sqlite or postgres. Leave it out for sqlite.");
        return new()
        {
            Database = database,
            Connection = Given(Connection, parsed),
            Journal = Given(Journal, parsed),
            Name = parsed.GetValue(Name)!,
        };
    }

    /// <summary>Whether a text can be the name of a version of the read model, which becomes the name of a table.</summary>
    internal static bool IsName(string text) => NamePattern().IsMatch(text);

    private static void CheckName(OptionResult result)
    {
        foreach (var token in result.Tokens.Where(token => !IsName(token.Value)))
            result.AddError($"--name is '{token.Value}'; it must begin with a letter, and go on with letters, digits and '_', in lower case, 40 at most.");
    }

    private static string? Given(Option<string?> option, ParseResult parsed) => parsed.GetValue(option) is not { } value ? null
        : !string.IsNullOrWhiteSpace(value) ? value
        : throw new CommandException($"{option.Name} is '{value}'; it must not be empty. Give a connection string, or leave it out.");

    [GeneratedRegex("^[a-z][a-z0-9_]{0,39}$", RegexOptions.CultureInvariant)]
    private static partial Regex NamePattern();
}
