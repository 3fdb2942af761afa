using CrushTest.Engine;
using Throttled.Benchmarks.Writing;

namespace Throttled.Benchmarks.Tags;

/// <summary>The engine with its default options.</summary>
internal sealed class EngineReaders(OwnJournal journal) : ITagReaders
{
    private readonly Measures _measures = new();
    private readonly JournalReader _reader = journal.OpenReader(new());
    private readonly List<Task> _loops = [];
    private bool _isEnding;

    public long Statements => _measures.Statements;

    public async Task OpenAsync()
    {
        await foreach (var _ in _reader.CurrentEventsByPersistenceId("nobody"))
        {
        }
    }

    public void Start(TagStreams streams) =>
        _loops.AddRange(Enumerable.Range(0, streams.Plan.Streams).Select(stream => Task.Run(() => ReadAsync(streams, stream))));

    public async Task FollowAsync()
    {
        while (_measures.Following < _loops.Count)
            await Task.Delay(10);
    }

    public async ValueTask DisposeAsync()
    {
        _isEnding = true;
        await _reader.DisposeAsync();
        await Task.WhenAll(_loops);
        _measures.Dispose();
    }

    private async Task ReadAsync(TagStreams streams, int stream)
    {
        try
        {
            await foreach (var each in _reader.EventsByTag(streams.Plan.Tag(stream), streams.After))
                streams.Arrived(stream, each.Ordering);
        }
        catch (ObjectDisposedException) when (_isEnding)
        {
        }
        catch (Exception error)
        {
            streams.Failed(error);
        }
    }
}
