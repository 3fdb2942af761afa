using Akka.Actor;
using Akka.Hosting;
using Akka.Persistence.Query;
using Akka.Persistence.Query.Throttled;
using Akka.Persistence.Query.Throttled.Hosting;
using Akka.Streams;
using Akka.Streams.Dsl;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

/// <summary>The same live query on PostgreSQL. The database must exist; the write plugin creates the tables.</summary>
internal static class OnPostgreSql
{
    internal static async Task RunAsync(string connectionString, string[] args)
    {
        var writePlugin = $$"""
            akka.persistence.journal.plugin = "akka.persistence.journal.sql"
            akka.persistence.journal.sql {
              class = "Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql"
              connection-string = "{{connectionString}}"
              provider-name = "PostgreSQL.15"
            }
            """;

        var builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddAkka("bank", akka => akka
            .AddHocon(writePlugin, HoconAddMode.Prepend)
            .WithThrottledReadJournal());
        using var host = builder.Build();
        await host.StartAsync();
        var system = host.Services.GetRequiredService<ActorSystem>();

        // The tables may not exist yet: the query waits for them, and for the events.
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
