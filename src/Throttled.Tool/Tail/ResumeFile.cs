using System.Text.Json;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

/// <summary>A file with the position of one query on one journal. It is replaced as a whole, so a crash leaves the old file or the new one.</summary>
internal sealed class ResumeFile
{
    // Enough for a position and the text of its query. A longer file is not a file of this tool.
    private const int MostBytes = 64 * 1024;

    private static readonly JsonSerializerOptions Format = new(JsonSerializerDefaults.Web)
    {
        Encoder = System.Text.Encodings.Web.JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        RespectRequiredConstructorParameters = true,
        RespectNullableAnnotations = true,
    };

    private readonly string _given;
    private readonly string _path;
    private readonly string _journal;
    private readonly string _query;

    /// <summary>Journal and query are texts that are the same in each run.</summary>
    internal ResumeFile(string path, string journal, string query)
    {
        (_given, _journal, _query) = (path, journal, query);
        // Resolve links, because a rename would replace the link by a file.
        _path = File.Exists(path) ? File.ResolveLinkTarget(path, returnFinalTarget: true)?.FullName ?? Path.GetFullPath(path) : Path.GetFullPath(path);
    }

    private string New => $"{_path}.{Environment.ProcessId}.new";

    /// <summary>Checks that the file can be written, before anything is printed.</summary>
    /// <exception cref="CommandException">The file cannot be written.</exception>
    internal void Probe() => OnDisk("cannot be written", () =>
    {
        if (Directory.Exists(_path))
            throw new IOException("it is a directory.");
        using var probe = new FileStream(New, FileMode.Create, FileAccess.Write, FileShare.None, 1, FileOptions.DeleteOnClose);
    });

    /// <returns>The position; null if there is no file yet, or an empty one.</returns>
    /// <exception cref="CommandException">The file has other content.</exception>
    internal long? Read()
    {
        if (!File.Exists(_path) || new FileInfo(_path).Length == 0)
            return null;
        ResumePosition? found = null;
        OnDisk("cannot be read", () => found = Parse());
        if (found is not { After: >= 0 and < long.MaxValue })
            throw Refused("does not hold a position of this tool");
        if (found.Journal != _journal)
            throw Refused($"holds a position in the journal '{found.Journal}', but this journal is '{_journal}'");
        if (found.Query != _query)
            throw Refused($"holds the position of '{found.Query}', but this query is '{_query}'");
        return found.After;
    }

    /// <exception cref="CommandException">The file cannot be written.</exception>
    internal void Write(long after) => OnDisk("cannot be written", () =>
    {
        using (var file = new FileStream(New, FileMode.Create, FileAccess.Write, FileShare.None))
        {
            JsonSerializer.Serialize(file, new ResumePosition(_journal, _query, after), Format);
            file.WriteByte((byte)'\n');
            file.Flush(flushToDisk: true);
        }
        File.Move(New, _path, overwrite: true);
    });

    private ResumePosition? Parse()
    {
        using var file = File.OpenRead(_path);
        if (file.Length > MostBytes)
            return null;
        try
        {
            return JsonSerializer.Deserialize<ResumePosition>(file, Format);
        }
        catch (JsonException)
        {
            return null;
        }
    }

    private void OnDisk(string cannot, Action action)
    {
        try
        {
            action();
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new CommandException($"--resume is '{_given}'; it {cannot}: {error.Message.TrimEnd('.')}. Correct this, or give another file.", error);
        }
    }

    private CommandException Refused(string why) =>
        new($"--resume is '{_given}'; it {why}. It was not changed. Give another file, or delete it to begin again.");

    private sealed record ResumePosition(string Journal, string Query, long After);
}
