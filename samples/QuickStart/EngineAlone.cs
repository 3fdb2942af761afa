using System.Text;
using Throttled.Journal;
using Throttled.Journal.Sqlite;

/// <summary>The engine without Akka: a live query, and a query that goes on after a stored offset.</summary>
internal static class EngineAlone
{
    internal static async Task RunAsync()
    {
        var file = Path.Combine(Path.GetTempPath(), $"quickstart-{Guid.NewGuid():N}.db");
        AppDomain.CurrentDomain.ProcessExit += (_, _) => File.Delete(file);

        // In your application Akka.NET writes the journal. Here an appender takes its place.
        await using var appender = SqliteJournal.OpenAppender($"Data Source={file}");
        await appender.CreateAsync();
        await appender.AppendAsync([Event(1, "opened"), Event(2, "deposited 100")]);

        // One reader for each journal and process is enough for any number of queries.
        await using var reader = SqliteJournal.OpenReader($"Data Source={file}");
        var following = Task.Run(async () =>
        {
            await foreach (var each in reader.EventsByPersistenceId("account-1").Take(3))
                Console.WriteLine($"{each.PersistenceId} {each.SequenceNumber}: {Encoding.UTF8.GetString(each.Payload.Span)}");
        });

        await appender.AppendAsync([Event(3, "withdrawn 40")]);
        await following;

        static JournalEvent Event(long number, string text) =>
            new() { PersistenceId = "account-1", SequenceNumber = number, Payload = Encoding.UTF8.GetBytes(text), Tags = ["account"] };

        // Store and resume: the second run has nothing left to handle.
        var position = $"{file}.position";
        AppDomain.CurrentDomain.ProcessExit += (_, _) => File.Delete(position);
        for (var run = 1; run <= 2; run++)
        {
            using var stop = new CancellationTokenSource(TimeSpan.FromMilliseconds(500));
            await ProjectAsync(reader, position, stop.Token);
        }

        static async Task ProjectAsync(JournalReader reader, string file, CancellationToken cancellation)
        {
            try
            {
                var after = File.Exists(file) ? long.Parse(await File.ReadAllTextAsync(file, cancellation)) : 0;
                await foreach (var each in reader.EventsByTag("account", after).WithCancellation(cancellation))
                {
                    Console.WriteLine($"{each.Ordering} {string.Join(' ', each.Tags)}");
                    // Store the offset after the event was handled. After a crash in between, the event comes again.
                    // If the result and the offset are in one database, write both in one transaction.
                    await File.WriteAllTextAsync($"{file}.new", $"{each.Ordering}", CancellationToken.None);
                    File.Move($"{file}.new", file, overwrite: true);
                }
            }
            catch (OperationCanceledException) when (cancellation.IsCancellationRequested)
            {
            }
            catch (ObjectDisposedException)
            {
                // The reader was disposed: the application ends.
            }
            catch (JournalRewoundException error)
            {
                Console.Error.WriteLine($"{error.Message} The offset in {file} is not valid any more.");
            }
            catch (JournalException error)
            {
                Console.Error.WriteLine($"The database refuses the query, and waiting does not cure it: {error.Message}");
            }
        }
    }
}
