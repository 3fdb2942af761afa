using System.Data.SqlTypes;
using System.Net.Sockets;
using System.Security.Authentication;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>Maps SQL Server's errors to faults. <see cref="SqlServerErrors"/> has the errors that the server sends by number.</summary>
internal static class SqlServerFaults
{
    private const int TimedOut = -2;

    // The driver's own errors, for example when a statement was cancelled: https://github.com/dotnet/SqlClient/issues/26
    private const int Unnumbered = 0;

    // Babelfish uses it for errors of PostgreSQL that have no number of SQL Server:
    // https://babelfishpg.org/docs/usage/error-handling
    private const int Unmapped = 33557097;

    private const string Trust =
        " Make this machine trust the server's certificate. If the network to the server is safe, you can set TrustServerCertificate=True in the connection string instead.";

    internal static FaultKind Classify(Exception error) => error switch
    {
        SqlException server => Classify(server),
        SessionBrokenException or ObjectDisposedException or OpeningException => FaultKind.ConnectionLost,
        MissingJournalException or TagTablePendingException or ShardMarkPendingException => FaultKind.MissingTable,
        MissingColumnException or MissingTagTableException or ShardMarkException => FaultKind.Fatal,
        TimeoutException => FaultKind.TimedOut,
        IOException or SocketException => FaultKind.ConnectionLost,
        PoolExhaustedException => FaultKind.TooManyConnections,
        // A value that has not its column's type, or a row that the engine refused.
        InvalidCastException or FormatException or OverflowException or InvalidOperationException or SqlTypeException => FaultKind.Unreadable,
        ArgumentException when IsUnknownLogin(error) => FaultKind.Fatal,
        // A value of one member that the driver cannot write.
        ArgumentException => FaultKind.Unreadable,
        _ => FaultKind.Fatal,
    };

    /// <summary>The fault of an error of the server, except while a connection is being opened.</summary>
    /// <param name="number">The error's number. For the driver's errors it is the operating system's number, or 0.</param>
    /// <param name="severity">The error's class.</param>
    internal static FaultKind OfNumber(int number, byte severity) => SqlServerErrors.Known(number, severity) ?? SqlServerErrors.OfSeverity(number, severity);

    /// <summary>
    /// The text of an error for the user: its number and message on one line. For a missing database or right, the text also
    /// names the remedy. The server names what is missing in its own language.
    /// </summary>
    internal static string ReasonOf(Exception error) => error switch
    {
        SqlException server => ReasonOf(server),
        SessionBrokenException { InnerException: SqlException inner } => ReasonOf(inner),
        NotSupportedException when error.Message.Contains("Globalization Invariant Mode", StringComparison.Ordinal) =>
            $"{DriverMessages.SentenceOf(error.Message)} Set InvariantGlobalization to false in the project, and install ICU.",
        _ => error.Message,
    };

    /// <summary>
    /// Whether the error says that a statement was cancelled. Call it only for a cancelled statement: the driver uses the same
    /// number and class for a statement that failed without a reason from the server.
    /// </summary>
    internal static bool IsCancelled(Exception error) => error is OperationCanceledException
        || (error is SqlException server && server.Errors.Cast<SqlError>().Any(one => one is { Number: Unnumbered, Class: < SqlServerErrors.EndsTheSession }));

    /// <summary>
    /// Whether the server itself reported the end of the statement. The statement then no longer runs, whatever happened to the connection. The
    /// driver's own network errors have class 20 and a number of the operating system, or none. After such an error, the statement may still run.
    /// </summary>
    internal static bool IsServersOwn(Exception error) => error is SqlException server
        && server.Errors.Cast<SqlError>().Any(one => one.Number > 0
            && (one.Class != SqlServerErrors.EndsTheSession || SqlServerErrors.Known(one.Number, one.Class) is FaultKind.Unreadable));

    internal static bool IsMissingTable(Exception error) => Is(error, 208);

    internal static bool IsMissingColumn(Exception error) => Is(error, 207);

    /// <summary>Whether the user may not see the server's state, or this server has no such view.</summary>
    internal static bool IsRefused(Exception error) => Is(error, 208) || Is(error, 229) || Is(error, 262) || Is(error, 297) || Is(error, 300) || Is(error, 371);

    private static bool Is(Exception error, int number) =>
        error is SqlException server && server.Errors.Cast<SqlError>().Any(one => NumberOf(one) == number);

    private static FaultKind Classify(SqlException error) => error switch
    {
        // TLS failed, by trust or encryption. A new connection does not help.
        { InnerException: AuthenticationException } => FaultKind.Fatal,
        _ when IsUnanswered(error) => FaultKind.ConnectionLost,
        _ => Telling(error) is { } one ? OfNumber(NumberOf(one), one.Class) : FaultKind.ConnectionLost,
    };

    // The first known error. "Cannot open database" comes together with "login failed" and says more. After "the session is in
    // the kill state", the driver adds an error without a number.
    private static SqlError? Telling(SqlException error)
    {
        var errors = error.Errors.Cast<SqlError>().ToArray();
        return errors.FirstOrDefault(one => SqlServerErrors.Known(NumberOf(one), one.Class) is not null)
            ?? errors.FirstOrDefault(one => one.Number != Unnumbered)
            ?? errors.FirstOrDefault();
    }

    // A timeout has the same number when opening a connection and when running a statement, so the message decides.
    // SqlServerSource sets the driver to English.
    private static bool IsUnanswered(SqlException error) =>
        error.Number == TimedOut && error.Message.StartsWith("Connection Timeout", StringComparison.Ordinal);

    // Since version 7 the authentication providers for Microsoft Entra are in a separate package.
    private static bool IsUnknownLogin(Exception error) => error.Message.Contains("authentication provider", StringComparison.Ordinal);

    private static string ReasonOf(SqlException error) => Telling(error) switch
    {
        null => error.Message,
        { Number: <= Unnumbered } one => DriverMessages.SentenceOf(one.Message) + CauseOf(error),
        { Class: SqlServerErrors.EndsTheSession } one => DriverMessages.SentenceOf(one.Message) + CauseOf(error),
        var one => FormattableString.Invariant($"{one.Number}: {DriverMessages.SentenceOf(one.Message)}") + SqlServerErrors.RemedyOf(NumberOf(one)),
    };

    // The driver's own message says only that an internal exception was caught.
    private static string CauseOf(SqlException error) => error.InnerException switch
    {
        AuthenticationException inner => " " + DriverMessages.SentenceOf(inner.Message) + (inner.Message.Contains("certificate", StringComparison.OrdinalIgnoreCase) ? Trust : ""),
        SocketException { SocketErrorCode: not SocketError.Success } inner => " " + DriverMessages.SentenceOf(inner.Message),
        _ => "",
    };

    private static int NumberOf(SqlError error) => error.Number == Unmapped ? NumberOf(error.Message) : error.Number;

    private static int NumberOf(string message) => message switch
    {
        _ when message.StartsWith("column ", StringComparison.Ordinal) && message.EndsWith(" does not exist", StringComparison.Ordinal) => 207,
        _ when message.EndsWith(" does not exist", StringComparison.Ordinal) => 208,
        _ when message.StartsWith("permission denied", StringComparison.Ordinal) => 229,
        _ when message.StartsWith("canceling statement due to lock timeout", StringComparison.Ordinal) => 1222,
        _ when message.StartsWith("invalid input syntax", StringComparison.Ordinal) => 245,
        _ => Unmapped,
    };
}
