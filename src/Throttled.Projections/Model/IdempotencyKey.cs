using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;

namespace Throttled.Projections;

/// <summary>
/// Identifies the effect of one event in one version of a read model. A delivery that is repeated has the same key: after a failure, a crash, a takeover
/// or a reset, and for a dead letter. Another projection, and a rebuild under another name, have other keys. Send <see cref="ToString"/> to a receiver
/// that drops repetitions, for example as the HTTP header <c>Idempotency-Key</c>.
/// </summary>
/// <param name="Version">The read model: the projection's name, or the name that a rebuild was given.</param>
/// <param name="PersistenceId">The entity that persisted the event.</param>
/// <param name="SequenceNumber">The event's number within its persistence id.</param>
public readonly record struct IdempotencyKey(string Version, string PersistenceId, long SequenceNumber)
{
    /// <summary>A UUID made of a hash (SHA-256) of the three values. It never changes, also in later releases.</summary>
    // Version 8 is for UUIDs whose bits the application chooses: https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-8
    public Guid ToGuid()
    {
        var version = Encoding.UTF8.GetBytes(Version ?? "");
        var id = Encoding.UTF8.GetBytes(PersistenceId ?? "");
        // The length of the version comes first. Otherwise two keys could have the same bytes.
        var bytes = new byte[sizeof(int) + version.Length + sizeof(long) + id.Length];
        BinaryPrimitives.WriteInt32BigEndian(bytes, version.Length);
        version.CopyTo(bytes, sizeof(int));
        BinaryPrimitives.WriteInt64BigEndian(bytes.AsSpan(sizeof(int) + version.Length), SequenceNumber);
        id.CopyTo(bytes, sizeof(int) + version.Length + sizeof(long));
        var uuid = SHA256.HashData(bytes).AsSpan(0, 16);
        uuid[6] = (byte)((uuid[6] & 0x0F) | 0x80);
        uuid[8] = (byte)((uuid[8] & 0x3F) | 0x80);
        return new(uuid, bigEndian: true);
    }

    /// <summary><see cref="ToGuid"/> as text: 36 characters, all of them allowed in an HTTP header.</summary>
    public override string ToString() => $"{ToGuid()}";
}
