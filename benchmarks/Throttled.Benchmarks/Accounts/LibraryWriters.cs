using System.Data.Common;
using BankAccounts.Domain;
using BankAccounts.Handlers;
using LinqToDB;
using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;
using Throttled.Projections;
using Throttled.Projections.EntityFrameworkCore;
using Throttled.Projections.Linq2Db;

namespace Throttled.Benchmarks.Accounts;

/// <summary>The sample's read model, written by a library one event after the other, as handlers are usually written.</summary>
internal static class LibraryWriters
{
    /// <summary>Tracked entities: a row is read once a batch, changed in memory, and saved with all others.</summary>
    internal static Func<ProjectionEvent<object>, ReadModelTransaction, CancellationToken, Task> ByEfCore(Action<int> handled) =>
        async (each, transaction, cancellation) =>
        {
            var context = transaction.GetDbContext(connection => new AccountContext(connection, AccountSql.TableOf(transaction.Version)));
            if (each.Payload is AccountOpened opened)
                context.Add(new AccountRow { Id = each.PersistenceId, Owner = opened.Owner, Events = 1 });
            else
                Change(context, await context.FindAsync<AccountRow>([each.PersistenceId], cancellation) ?? throw Missing(each), each.Payload);
            handled(1);
        };

    /// <summary>A statement for each event.</summary>
    internal static Func<ProjectionEvent<object>, ReadModelTransaction, CancellationToken, Task> ByLinq2Db(Action<int> handled) =>
        async (each, transaction, cancellation) =>
        {
            var accounts = transaction.GetDataConnection(Mapped).GetTable<AccountRow>().TableName(AccountSql.TableOf(transaction.Version));
            var (id, cents) = (each.PersistenceId, CentsOf(each.Payload));
            var rows = each.Payload switch
            {
                AccountOpened opened => await accounts.InsertAsync(() => new() { Id = id, Owner = opened.Owner, Balance = 0, Events = 1 }, cancellation),
                AccountClosed => await accounts.Where(row => row.Id == id).DeleteAsync(cancellation),
                _ => await accounts.Where(row => row.Id == id)
                    .Set(row => row.Balance, row => row.Balance + cents).Set(row => row.Events, row => row.Events + 1).UpdateAsync(cancellation),
            };
            handled(rows == 1 ? 1 : throw Missing(each));
        };

    private static void Change(AccountContext context, AccountRow row, object change)
    {
        (row.Balance, row.Events) = (row.Balance + CentsOf(change), row.Events + 1);
        if (change is AccountClosed)
            context.Remove(row);
    }

    private static long CentsOf(object change) => change switch
    {
        AccountCredited credited => credited.Cents,
        AccountDebited debited => -debited.Cents,
        _ => 0,
    };

    private static DataOptions Mapped(DataOptions options) => options.UseMappingSchema(AccountRow.Schema);

    // It would mean that events came out of their order.
    private static InvalidOperationException Missing(ProjectionEvent<object> each) => new($"There is no {each.PersistenceId}.");

    private sealed class AccountContext(DbConnection connection, string table) : DbContext
    {
        protected override void OnConfiguring(DbContextOptionsBuilder optionsBuilder) =>
            _ = connection switch
            {
                SqliteConnection => optionsBuilder.UseSqlite(connection),
                SqlConnection => optionsBuilder.UseSqlServer(connection),
                _ => optionsBuilder.UseNpgsql(connection),
            };

        // All replays of a process have the same table.
        protected override void OnModelCreating(ModelBuilder modelBuilder) => modelBuilder.Entity<AccountRow>(row =>
        {
            row.ToTable(table);
            row.Property(account => account.Id).HasColumnName("account_id");
            row.Property(account => account.Owner).HasColumnName("owner");
            row.Property(account => account.Balance).HasColumnName("balance");
            row.Property(account => account.Events).HasColumnName("events");
        });
    }

    private sealed class AccountRow
    {
        internal static readonly LinqToDB.Mapping.MappingSchema Schema = Map();

        public string Id { get; init; } = "";

        public string? Owner { get; init; }

        public long Balance { get; set; }

        public int Events { get; set; }

        private static LinqToDB.Mapping.MappingSchema Map()
        {
            var builder = new LinqToDB.Mapping.FluentMappingBuilder();
            builder.Entity<AccountRow>()
                .Property(row => row.Id).HasColumnName("account_id").IsPrimaryKey()
                .Property(row => row.Owner).HasColumnName("owner")
                .Property(row => row.Balance).HasColumnName("balance")
                .Property(row => row.Events).HasColumnName("events");
            return builder.Build().MappingSchema;
        }
    }
}
