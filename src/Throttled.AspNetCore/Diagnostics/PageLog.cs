using System.Net;
using Microsoft.Extensions.Logging;

namespace Throttled.AspNetCore.Diagnostics;

/// <summary>The log messages of the page; <c>docs/operating/log.md</c> lists them.</summary>
internal static partial class PageLog
{
    [LoggerMessage(301, LogLevel.Information, "Command of the page: {Command}; by {User} from {Address}; answered with {Status}.")]
    internal static partial void Command(ILogger log, string command, string user, string address, int status);

    /// <summary>Logs a command. Control characters become spaces: a line break in a name could forge a log entry.</summary>
    internal static void Commanded(this ILogger log, object command, string user, IPAddress? address, int status) =>
        Command(log, OneLine($"{command}"), OneLine(user), $"{address}", status);

    private static string OneLine(string text) => string.Concat(text.Select(each => char.IsControl(each) ? ' ' : each));
}
