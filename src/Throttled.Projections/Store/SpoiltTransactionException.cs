using System.Data.Common;

namespace Throttled.Projections.Store;

/// <summary>A transaction that would not be committed: a statement of it failed, and whoever ran the statement went on as if it had not.</summary>
internal sealed class SpoiltTransactionException()
    : DbException("A statement failed and its error was caught, so the transaction is aborted and cannot be committed. Let the error pass, or run the statement in a savepoint.");
