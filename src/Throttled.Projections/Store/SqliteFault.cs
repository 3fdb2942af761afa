using System.Data.Common;

namespace Throttled.Projections.Store;

/// <summary>What SQLite's errors mean, without its driver. The codes and their causes: https://www.sqlite.org/rescode.html</summary>
internal static class SqliteFault
{
    /// <summary>A statement that cannot be prepared: no such table or column, or no SQL.</summary>
    internal const int Statement = 1;

    private const int Busy = 5;
    private const int Locked = 6;
    private const int NoMemory = 7;
    private const int InputOutput = 10;
    private const int Full = 13;
    private const int CannotOpen = 14;
    private const int Protocol = 15;
    private const int SchemaChanged = 17;

    // The driver gives ErrorCode no value; the code is in a property of its own:
    // https://learn.microsoft.com/dotnet/api/microsoft.data.sqlite.sqliteexception.sqliteerrorcode
    /// <summary>The primary code; null where the error is not SQLite's.</summary>
    internal static int? CodeOf(DbException error) => error.GetType().GetProperty("SqliteErrorCode")?.GetValue(error) as int?;

    internal static bool IsTransient(int code) =>
        code is Busy or Locked or NoMemory or InputOutput or Full or CannotOpen or Protocol or SchemaChanged;
}
