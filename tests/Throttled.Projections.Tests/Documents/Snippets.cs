using Microsoft.EntityFrameworkCore;
using Throttled.Journal.PostgreSql;

namespace Throttled.Projections.Tests.Documents;

/// <summary>Code of the documentation that is in no sample. It is compiled, and a convention test compares it with the pages.</summary>
internal static class Snippets
{
    // docs/projections.md
    internal static async Task EntityFramework(IDbContextFactory<DbContext> factory, ProjectionBatch batch, CancellationToken cancellationToken)
    {
        await using var context = await factory.CreateDbContextAsync(cancellationToken);
        context.Database.SetDbConnection(batch.Connection);
        await context.Database.UseTransactionAsync(batch.Transaction, cancellationToken);
        // ... context.Add, ExecuteUpdate ...
        await context.SaveChangesAsync(cancellationToken);
    }

    // docs/projections.md
    internal static async Task Sharded(string[] connectionStrings, ReadModelDatabase readModelDatabase, ProjectionHandler handler, ProjectionOptions options)
    {
        await using var journal = ShardedJournal.OpenReader(connectionStrings, PostgreSqlJournal.OpenReader);
        await using var projection = new Projection(journal, readModelDatabase, handler, options);
    }
}
