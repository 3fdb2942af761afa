using System.Buffers;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

/// <summary>Nobody reads any more what is printed.</summary>
internal sealed class OutputClosedException : Exception;

/// <summary>Standard output, written in pieces.</summary>
internal sealed class Stdout
{
    private const int Enough = 64 * 1024;

    private readonly ArrayBufferWriter<byte> _lines = new();
    private readonly Stream _stream = Console.OpenStandardOutput();

    /// <summary>Where the next line goes.</summary>
    internal IBufferWriter<byte> Lines => _lines;

    internal bool IsFull => _lines.WrittenCount >= Enough;

    /// <summary>Hands over what was written.</summary>
    /// <exception cref="OutputClosedException">Nobody reads it any more.</exception>
    /// <exception cref="CommandException">It cannot be written.</exception>
    internal void Flush()
    {
        try
        {
            _stream.Write(_lines.WrittenSpan);
        }
        catch (IOException error)
        {
            throw new CommandException($"the output cannot be written: {error.Message}. Make room there, or print elsewhere.", error);
        }
        finally
        {
            _lines.ResetWrittenCount();
        }
        // The console's stream takes a closed pipe for one that takes everything.
        if (ClosedPipe.IsClosed())
            throw new OutputClosedException();
    }
}
