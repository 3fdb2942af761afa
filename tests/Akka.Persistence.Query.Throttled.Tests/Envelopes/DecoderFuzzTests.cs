using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Query.Throttled.Tests.Settings;
using Throttled.Testing.Scripted;

namespace Akka.Persistence.Query.Throttled.Tests.Envelopes;

/// <summary>Random events and settings are accepted, or are refused with an error of the project.</summary>
public sealed class DecoderFuzzTests : IDisposable
{
    private static readonly string[] Keys =
    [
        "connection-string", "provider-name", "table-mapping", "tag-read-mode", "tag-separator", "max-concurrent-queries", "max-queries-per-second", "burst", "max-buffer-size",
        "max-buffered-bytes", "max-payload-bytes", "refresh-interval", "gap-timeout", "gap-min-age", "statement-timeout", "fatal-error-grace-period", "current-query-timeout", "on-gap-timeout",
        "on-undecodable-event", "stored-as", "require-table", "prepare-statements", "notify", "strict", "serializer", "write-plugin", "slices", "shards", "default.journal.table-name", "nonsense",
    ];

    private readonly ConfiguredSystem _system = new(Hocon.Journal());

    [Fact]
    public void An_event_is_decoded_or_named_in_the_error() => Decode(2_000);

    [Fact]
    [Trait("Category", "Long")]
    public void Very_many_events_are_decoded_or_named_in_the_error() => Decode(LongShare.Of(250_000));

    [Fact]
    public void A_section_is_read_or_refused() => Configure(500);

    [Fact]
    [Trait("Category", "Long")]
    public void Very_many_sections_are_read_or_refused() => Configure(LongShare.Of(100_000));

    public void Dispose() => _system.Dispose();

    private void Decode(int count)
    {
        var decode = ThrottledReadJournal.PayloadDecoder(_system.System);
        Garbage.ForEach(count, garbage =>
        {
            var stored = new JournalEvent
            {
                PersistenceId = garbage.Text(),
                SequenceNumber = garbage.Random.NextInt64(),
                Payload = garbage.Bytes(),
                SerializerId = garbage.OneOf<int?>(null, 0, 1, 2, 4, 9, 16, 17, 22, -1, int.MaxValue),
                Manifest = garbage.Random.Next(2) == 0 ? garbage.Text() : garbage.Like(garbage.OneOf(typeof(string).AssemblyQualifiedName!, "Akka.Actor.PoisonPill, Akka", "A", "")),
            };
            try
            {
                decode(stored);
            }
            catch (UndecodableEventException error)
            {
                Assert.Equal((stored.PersistenceId, stored.SequenceNumber), (error.PersistenceId, error.SequenceNr));
            }
        });
    }

    private void Configure(int count) => Garbage.ForEach(count, garbage =>
    {
        var differs = string.Join('\n', Enumerable.Range(0, garbage.Random.Next(1, 5)).Select(_ => $"{garbage.OneOf(Keys)} = {Value(garbage)}"));
        var section = ConfigurationFactory.ParseString(Hocon.Journal(differs)).GetConfig(ThrottledReadJournal.Identifier);
        try
        {
            _ = SettingsFile.Read(_system.System, section);
        }
        catch (ConfigurationException refusal)
        {
            Assert.Contains(ThrottledReadJournal.Identifier, refusal.Message, StringComparison.Ordinal);
        }
    });

    // A text in quotes, escaped for HOCON, and other values of a key.
    private static string Value(Garbage garbage) => garbage.Random.Next(8) switch
    {
        0 => garbage.OneOf("null", "{}", "[]", "{ a = 1 }", "[1, [2]]", "\"\""),
        1 => $"{garbage.Random.NextInt64()}",
        2 => garbage.OneOf("10s", "-1s", "1e300h", "infinite", "64MiB", "1.5", "on", "off", "yes"),
        _ => System.Text.Json.JsonSerializer.Serialize(garbage.Text()),
    };
}
