using System.Buffers;
using Throttled.Journal;

namespace Tail.Show;

/// <summary>Writes what was read as lines, in UTF-8, each with its end.</summary>
internal interface ILineFormat
{
    void Write(JournalEvent each, IBufferWriter<byte> line);

    void Write(string persistenceId, IBufferWriter<byte> line);
}
