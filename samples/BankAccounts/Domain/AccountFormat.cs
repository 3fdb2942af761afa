using System.Text.Json;
using System.Text.Json.Serialization;
using Throttled.Journal;
using Throttled.Projections;

namespace BankAccounts.Domain;

/// <summary>How events are stored in the journal: as JSON, with a manifest that names the type of event.</summary>
internal static class AccountFormat
{
    private const string Opened = "opened";
    private const string Credited = "credited";
    private const string Debited = "debited";
    private const string Closed = "closed";

    internal static JournalEvent Store(string accountId, long sequenceNumber, object change)
    {
        var (manifest, payload) = Encode(change);
        return new() { PersistenceId = accountId, SequenceNumber = sequenceNumber, Manifest = manifest, Payload = payload };
    }

    /// <summary>The decoder for the projection. It ignores other events.</summary>
    internal static JsonEvents ForProjection() => new JsonEvents()
        .Add(AccountJson.Default.AccountOpened, Opened)
        .Add(AccountJson.Default.AccountCredited, Credited)
        .Add(AccountJson.Default.AccountDebited, Debited)
        .Add(AccountJson.Default.AccountClosed, Closed)
        .IgnoreOthers();

    /// <summary>Decodes a stored event without a projection; null if it is not an event of an account.</summary>
    internal static object? Decode(JournalEvent stored) => Decode(stored.Manifest, stored.Payload.Span);

    internal static object? Decode(string manifest, ReadOnlySpan<byte> payload) => manifest switch
    {
        Opened => JsonSerializer.Deserialize(payload, AccountJson.Default.AccountOpened),
        Credited => JsonSerializer.Deserialize(payload, AccountJson.Default.AccountCredited),
        Debited => JsonSerializer.Deserialize(payload, AccountJson.Default.AccountDebited),
        Closed => JsonSerializer.Deserialize(payload, AccountJson.Default.AccountClosed),
        _ => null,
    };

    private static (string Manifest, byte[] Payload) Encode(object change) => change switch
    {
        AccountOpened opened => (Opened, JsonSerializer.SerializeToUtf8Bytes(opened, AccountJson.Default.AccountOpened)),
        AccountCredited credited => (Credited, JsonSerializer.SerializeToUtf8Bytes(credited, AccountJson.Default.AccountCredited)),
        AccountDebited debited => (Debited, JsonSerializer.SerializeToUtf8Bytes(debited, AccountJson.Default.AccountDebited)),
        AccountClosed closed => (Closed, JsonSerializer.SerializeToUtf8Bytes(closed, AccountJson.Default.AccountClosed)),
        _ => throw new ArgumentOutOfRangeException(nameof(change), change, "It is not an event of an account."),
    };
}

/// <summary>The events as JSON, by code that the compiler wrote.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingDefault)]
[JsonSerializable(typeof(AccountOpened))]
[JsonSerializable(typeof(AccountCredited))]
[JsonSerializable(typeof(AccountDebited))]
[JsonSerializable(typeof(AccountClosed))]
internal sealed partial class AccountJson : JsonSerializerContext;
