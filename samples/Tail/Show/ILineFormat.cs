using System.Buffers;
using Throttled.Journal;

namespace Tail.Show;

/// <summary>Writes an item as a line of UTF-8, with its line break.</summary>
internal interface ILineFormat
{
    void Write(JournalEvent each, IBufferWriter<byte> line);

    void Write(string persistenceId, IBufferWriter<byte> line);
}
