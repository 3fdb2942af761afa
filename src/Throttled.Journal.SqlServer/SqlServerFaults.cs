using System.Data.SqlTypes;
using System.Net.Sockets;
using System.Security.Authentication;
using Microsoft.Data.SqlClient;
using Throttled.Journal.Database;
using Throttled.Journal.Relational;

namespace Throttled.Journal.SqlServer;

/// <summary>What SQL Server's errors mean; those that it sends by number are <see cref="SqlServerErrors"/>.</summary>
internal static class SqlServerFaults
{
    private const int TimedOut = -2;

    // The driver's own errors, as when a statement was cancelled: https://github.com/dotnet/SqlClient/issues/26
    private const int Unnumbered = 0;

    private const string Trust =
        " Have the server's certificate trusted on this machine, or where nobody can come between, set TrustServerCertificate=True in the connection string.";

    internal static FaultKind Classify(Exception error) => error switch
    {
        SqlException server => Classify(server),
        SessionBrokenException or ObjectDisposedException or OpeningException => FaultKind.ConnectionLost,
        MissingJournalException or TagTablePendingException or ShardMarkPendingException => FaultKind.MissingTable,
        MissingColumnException or MissingTagTableException or ShardMarkException => FaultKind.Fatal,
        TimeoutException => FaultKind.TimedOut,
        IOException or SocketException => FaultKind.ConnectionLost,
        InvalidOperationException when IsPoolExhausted(error) => FaultKind.TooManyConnections,
        // A value that is not of its column's type, or a row that the engine refused.
        InvalidCastException or FormatException or OverflowException or InvalidOperationException or SqlTypeException => FaultKind.Unreadable,
        ArgumentException when IsUnknownLogin(error) => FaultKind.Fatal,
        // A value of one member that the driver cannot write.
        ArgumentException => FaultKind.Unreadable,
        _ => FaultKind.Fatal,
    };

    /// <summary>What an error of the server means by itself, in any context but that of opening a connection.</summary>
    /// <param name="number">Its number; of what the driver met, that of the operating system, or 0.</param>
    /// <param name="severity">Its class.</param>
    internal static FaultKind OfNumber(int number, byte severity) =>
        SqlServerErrors.Known(number, severity) ?? SqlServerErrors.OfSeverity(number, severity);

    /// <summary>
    /// What to tell of an error: its number and its text on one line; and of a database or a right that is missing, which the server names in
    /// its own language, where it is given.
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
    /// Whether it says that a statement was cancelled. To be asked only of a statement that was: the driver has the same number and class for a
    /// statement that failed and of which the server said no more.
    /// </summary>
    internal static bool IsCancelled(Exception error) => error is OperationCanceledException
        || (error is SqlException server && server.Errors.Cast<SqlError>().Any(one => one is { Number: Unnumbered, Class: < SqlServerErrors.EndsTheSession }));

    /// <summary>
    /// Whether the server itself said how the statement ended, so that it runs no more, whatever became of the connection. What the driver
    /// met on the way has class 20 and a number of the operating system, or none: such a statement may still run.
    /// </summary>
    internal static bool IsServersOwn(Exception error) => error is SqlException server
        && server.Errors.Cast<SqlError>().Any(one => one.Number > 0
            && (one.Class != SqlServerErrors.EndsTheSession || SqlServerErrors.Known(one.Number, one.Class) is FaultKind.Unreadable));

    /// <summary>Whether a table is not there.</summary>
    internal static bool IsMissingTable(SqlException error) => Is(error, 208);

    /// <summary>Whether a column is not there.</summary>
    internal static bool IsMissingColumn(SqlException error) => Is(error, 207);

    /// <summary>Whether it may not be seen what the server does; or this server has no such view.</summary>
    internal static bool IsRefused(SqlException error) => Is(error, 208) || Is(error, 229) || Is(error, 262) || Is(error, 297) || Is(error, 300) || Is(error, 371);

    private static bool Is(SqlException error, int number) => error.Errors.Cast<SqlError>().Any(one => SqlServerErrors.NumberOf(one) == number);

    private static FaultKind Classify(SqlException error) => error switch
    {
        // Trust or encryption failed between the two: connecting again does not cure it.
        { InnerException: AuthenticationException } => FaultKind.Fatal,
        _ when IsUnanswered(error) => FaultKind.ConnectionLost,
        _ => Telling(error) is { } one ? OfNumber(SqlServerErrors.NumberOf(one), one.Class) : FaultKind.ConnectionLost,
    };

    // The first that is known: of "cannot open database" and "login failed", which come together, the first says more; behind "the session
    // is in the kill state" the driver adds one without a number.
    private static SqlError? Telling(SqlException error)
    {
        var errors = error.Errors.Cast<SqlError>().ToArray();
        return errors.FirstOrDefault(one => SqlServerErrors.Known(SqlServerErrors.NumberOf(one), one.Class) is not null)
            ?? errors.FirstOrDefault(one => one.Number != Unnumbered)
            ?? errors.FirstOrDefault();
    }

    // A time-out has the same number while opening a connection and while running a statement, so read the message. SqlServerSource makes the driver use English.
    private static bool IsUnanswered(SqlException error) =>
        error.Number == TimedOut && error.Message.StartsWith("Connection Timeout", StringComparison.Ordinal);

    // The pool of a data source that was given to us may be smaller than what the others take from it.
    private static bool IsPoolExhausted(Exception error) => error.Message.Contains("obtaining a connection from the pool", StringComparison.Ordinal);

    // Since version 7 the authentication providers for Microsoft Entra are in a separate package.
    private static bool IsUnknownLogin(Exception error) => error.Message.Contains("authentication provider", StringComparison.Ordinal);

    private static string ReasonOf(SqlException error) => Telling(error) switch
    {
        null => error.Message,
        { Number: <= Unnumbered } one => DriverMessages.SentenceOf(one.Message) + CauseOf(error),
        { Class: SqlServerErrors.EndsTheSession } one => DriverMessages.SentenceOf(one.Message) + CauseOf(error),
        var one => FormattableString.Invariant($"{one.Number}: {DriverMessages.SentenceOf(one.Message)}") + SqlServerErrors.RemedyOf(SqlServerErrors.NumberOf(one)),
    };

    // What the driver says of it is only that an internal exception was caught.
    private static string CauseOf(SqlException error) => error.InnerException switch
    {
        AuthenticationException inner => " " + DriverMessages.SentenceOf(inner.Message) + (inner.Message.Contains("certificate", StringComparison.OrdinalIgnoreCase) ? Trust : ""),
        SocketException { SocketErrorCode: not SocketError.Success } inner => " " + DriverMessages.SentenceOf(inner.Message),
        _ => "",
    };
}
