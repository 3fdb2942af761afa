using System.Data.Common;
using Microsoft.Data.SqlClient;
using Microsoft.Data.Sqlite;
using Microsoft.EntityFrameworkCore;

namespace Throttled.Projections.Tests.Writers;

/// <summary>The tables of <see cref="NumbersRun"/> as entities.</summary>
internal sealed class NumbersContext(DbContextOptions<NumbersContext> options) : DbContext(options)
{
    internal DbSet<Number> Seen => Set<Number>();

    internal DbSet<Total> Totals => Set<Total>();

    /// <summary>Creates a context on the connection that it gets.</summary>
    internal static NumbersContext On(DbConnection connection) => new(OptionsOn<NumbersContext>(connection));

    internal static DbContextOptionsBuilder<NumbersContext> Builder => new();

    /// <summary>The options of any context, with the provider of a connection.</summary>
    internal static DbContextOptions<TContext> OptionsOn<TContext>(DbConnection connection, bool isOwned = false)
        where TContext : DbContext
    {
        var builder = new DbContextOptionsBuilder<TContext>();
        return (connection switch
        {
            SqliteConnection => builder.UseSqlite(connection, isOwned),
            SqlConnection => builder.UseSqlServer(connection, isOwned),
            _ => builder.UseNpgsql(connection, isOwned),
        }).Options;
    }

    protected override void OnModelCreating(ModelBuilder modelBuilder)
    {
        modelBuilder.Entity<Number>(each =>
        {
            each.ToTable("seen").HasKey(number => number.Value);
            each.Property(number => number.Value).HasColumnName("number").ValueGeneratedNever();
        });
        modelBuilder.Entity<Total>(each =>
        {
            each.ToTable("totals");
            each.Property(total => total.Id).HasColumnName("id").ValueGeneratedNever();
            each.Property(total => total.Sum).HasColumnName("total");
        });
    }
}

internal sealed class Number
{
    public int Value { get; init; }
}

internal sealed class Total
{
    public int Id { get; init; }

    public int Sum { get; set; }
}
