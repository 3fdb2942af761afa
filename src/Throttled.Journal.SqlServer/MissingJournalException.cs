namespace Throttled.Journal.SqlServer;

/// <summary>The journal table is not there. Without 'Database' in its connection string a login is led to its own, which is mostly master.</summary>
internal sealed class MissingJournalException(string database, Exception inner) : Exception(
    $"{SqlServerFaults.ReasonOf(inner).TrimEnd('.')}, in the database '{database}', to which the connection string leads", inner);
