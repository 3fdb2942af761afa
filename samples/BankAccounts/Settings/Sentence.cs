namespace BankAccounts.Settings;

/// <summary>Messages of others, as one sentence among ours.</summary>
internal static class Sentence
{
    internal static string Of(string message)
    {
        var text = message.ReplaceLineEndings(" ").TrimEnd();
        return text.EndsWith('.') || text.EndsWith('!') || text.EndsWith('?') ? text : text + ".";
    }
}
