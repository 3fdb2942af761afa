namespace Throttled.Journal.SqlServer;

/// <summary>
/// The journal table does not exist. Without 'Database' in its connection string, a login gets its default database, mostly
/// master.
/// </summary>
internal sealed class MissingJournalException(string database, Exception inner) : Exception(
    $"{SqlServerFaults.ReasonOf(inner).TrimEnd('.')}, in the database '{database}', to which the connection string leads", inner);
