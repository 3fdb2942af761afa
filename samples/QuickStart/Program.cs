using System.Text;
using Throttled.Journal;
using Throttled.Journal.Sqlite;

var file = Path.Combine(Path.GetTempPath(), $"quickstart-{Guid.NewGuid():N}.db");
AppDomain.CurrentDomain.ProcessExit += (_, _) => File.Delete(file);

// Akka.NET writes the journal in your application; here an appender stands in for it.
await using var appender = SqliteJournal.OpenAppender($"Data Source={file}");
await appender.CreateAsync();
await appender.AppendAsync([Event(1, "opened"), Event(2, "deposited 100")]);

// One reader a journal and process: any number of queries over a few statements.
await using var reader = SqliteJournal.OpenReader($"Data Source={file}");
var following = Task.Run(async () =>
{
    await foreach (var each in reader.EventsByPersistenceId("account-1").Take(3))
        Console.WriteLine($"{each.PersistenceId} {each.SequenceNumber}: {Encoding.UTF8.GetString(each.Payload.Span)}");
});

await appender.AppendAsync([Event(3, "withdrawn 40")]);
await following;

static JournalEvent Event(long number, string text) =>
    new() { PersistenceId = "account-1", SequenceNumber = number, Payload = Encoding.UTF8.GetBytes(text) };
