using Akka.Actor;
using Akka.Hosting;
using Akka.Persistence;
using Akka.Persistence.Query;
using Akka.Persistence.Query.Throttled;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Streams;
using Akka.Streams.Dsl;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

/// <summary>The read journal in an actor system: a live query of a persistent actor's events.</summary>
internal static class WithAkka
{
    internal static async Task RunAsync(string[] args)
    {
        var file = Path.Combine(Path.GetTempPath(), $"quickstart-{Guid.NewGuid():N}.db");
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Array.ForEach([file, $"{file}-wal", $"{file}-shm"], File.Delete);

        // In WAL mode readers do not block the writer. The mode stays with the file, and the write plugin does not set it.
        using (var connection = new SqliteConnection($"Data Source={file};Pooling=False"))
        {
            connection.Open();
            new SqliteCommand("PRAGMA journal_mode = WAL", connection).ExecuteNonQuery();
        }

        // With the package Akka.Persistence.Sql.Hosting, WithSqlPersistence(connectionString, provider) does the same in code.
        var writePlugin = $$"""
            akka.persistence.journal.plugin = "akka.persistence.journal.sql"
            akka.persistence.journal.sql {
              class = "Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql"
              connection-string = "Data Source={{file}}"
              provider-name = "SQLite.MS"
            }
            """;

        var builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddAkka("bank", akka => akka
            .AddHocon(writePlugin, HoconAddMode.Prepend)
            .WithThrottledReadJournal());
        using var host = builder.Build();
        await host.StartAsync();
        var system = host.Services.GetRequiredService<ActorSystem>();

        // A live query: it waits for the events that the account is about to persist.
        var journal = system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier);
        var following = journal.EventsByPersistenceId("account-1", 0, long.MaxValue)
            .Take(3)
            .RunForeach(each => Console.WriteLine($"{each.PersistenceId} {each.SequenceNr}: {each.Event}"), system.Materializer());

        var account = system.ActorOf(Props.Create(() => new Account("account-1")));
        foreach (var entry in new[] { "opened", "deposited 100", "withdrawn 40" })
            account.Tell(entry);

        await following;
        await host.StopAsync();
    }
}

internal sealed class Account : ReceivePersistentActor
{
    public Account(string id)
    {
        PersistenceId = id;
        RecoverAny(_ => { });
        Command<string>(entry => Persist(entry, _ => { }));
    }

    public override string PersistenceId { get; }
}
