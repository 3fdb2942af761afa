namespace Throttled.Projections.Diagnostics;

/// <summary>What an exception says, as a part of a sentence of ours.</summary>
internal static class ErrorText
{
    /// <summary>Its message on one line and without the dot at its end: drivers write over several lines.</summary>
    internal static string Of(Exception error) => string.Join(
        ' ', error.Message.Split(['\r', '\n'], StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)).TrimEnd('.');
}
