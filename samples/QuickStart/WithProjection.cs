using Microsoft.Data.Sqlite;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Throttled.Journal;
using Throttled.Journal.Sqlite;
using Throttled.Projections;

/// <summary>A read model of balances, kept by a projection in a host.</summary>
internal static class WithProjection
{
    internal static async Task RunAsync(string[] args)
    {
        var file = Path.Combine(Path.GetTempPath(), $"quickstart-{Guid.NewGuid():N}.db");
        AppDomain.CurrentDomain.ProcessExit += (_, _) => Array.ForEach([file, $"{file}-wal", $"{file}-shm"], File.Delete);

        // In your application Akka.NET writes the journal. Here an appender takes its place.
        await using (var appender = SqliteJournal.OpenAppender($"Data Source={file}"))
        {
            await appender.CreateAsync();
            await appender.AppendAsync([.. Enumerable.Range(1, 1_000).Select(number => new JournalEvent
            {
                PersistenceId = $"account-{number % 10}", SequenceNumber = (number + 9) / 10, Manifest = "Deposited", Payload = "{\"Cents\":100}"u8.ToArray(),
            })]);
        }

        var builder = Host.CreateApplicationBuilder(args);
        builder.Services.AddSingleton(SqliteJournal.OpenReader($"Data Source={file}"));
        builder.Services.AddSingleton(ReadModelDatabase.Sqlite(SqliteFactory.Instance.CreateDataSource($"Data Source={file};Pooling=False")));
        builder.Services.AddProjection<Balances>("balances", projection => projection
            .WithOptions(options => options with { Lanes = 4, BatchSize = 100, Decoder = new JsonEvents().Add<Deposited>().Decode }));
        using var host = builder.Build();
        await host.StartAsync();

        // The read model is an ordinary table. The projection's offset is in another table.
        var control = new ProjectionControl(host.Services.GetRequiredService<ReadModelDatabase>());
        while (await control.StatusAsync("balances") is not [{ Offset: >= 1_000 }])
            await Task.Delay(TimeSpan.FromMilliseconds(100));
        await host.StopAsync();
        using var connection = new SqliteConnection($"Data Source={file};Pooling=False");
        connection.Open();
        using var rows = new SqliteCommand("SELECT account, cents FROM balances ORDER BY account", connection).ExecuteReader();
        while (rows.Read())
            Console.WriteLine($"{rows.GetString(0)}: {rows.GetInt64(1)}");
    }
}
