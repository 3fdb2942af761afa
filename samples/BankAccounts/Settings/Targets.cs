using System.CommandLine;
using System.CommandLine.Parsing;

namespace BankAccounts.Settings;

/// <summary>Arguments that name a target.</summary>
internal static class Targets
{
    internal static Argument<string> Required(string description) => Checked(new Argument<string>("target") { Description = description });

    internal static Argument<string?> Optional(string description) =>
        Checked(new Argument<string?>("target") { Description = description, Arity = ArgumentArity.ZeroOrOne });

    internal static Option<string?> Option()
    {
        var option = new Option<string?>("--target") { Description = "The target; the live one by default", HelpName = "NAME" };
        option.Validators.Add(result => BankOptions.CheckName(result.Tokens, "--target", result.AddError));
        return option;
    }

    private static TArgument Checked<TArgument>(TArgument argument)
        where TArgument : Argument
    {
        argument.Validators.Add(result => BankOptions.CheckName(result.Tokens, "The target", result.AddError));
        return argument;
    }
}
