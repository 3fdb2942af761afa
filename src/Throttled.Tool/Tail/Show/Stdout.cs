using System.Buffers;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

/// <summary>The reader of standard output has closed it.</summary>
internal sealed class OutputClosedException : Exception;

/// <summary>Standard output, written in blocks.</summary>
internal sealed class Stdout
{
    private const int Enough = 64 * 1024;

    private readonly ArrayBufferWriter<byte> _lines = new();
    private readonly Stream _stream = Console.OpenStandardOutput();

    internal IBufferWriter<byte> Lines => _lines;

    internal bool IsFull => _lines.WrittenCount >= Enough;

    /// <exception cref="OutputClosedException">The reader has closed the output.</exception>
    /// <exception cref="CommandException">The output cannot be written.</exception>
    internal void Flush()
    {
        try
        {
            _stream.Write(_lines.WrittenSpan);
        }
        catch (IOException error)
        {
            throw new CommandException($"the output cannot be written: {error.Message}. Free some space there, or write to another place.", error);
        }
        finally
        {
            _lines.ResetWrittenCount();
        }
        // The console's stream hides a closed pipe: its writes succeed.
        if (ClosedPipe.IsClosed())
            throw new OutputClosedException();
    }
}
