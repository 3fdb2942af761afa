using System.Collections;

namespace Throttled.Journal.Sharding.Moving;

/// <summary>What is open, in the order of the shards; closed together.</summary>
internal sealed class OpenShards<T> : IReadOnlyList<T>, IAsyncDisposable
    where T : IAsyncDisposable
{
    private readonly List<T> _open = [];

    public int Count => _open.Count;

    public T this[int index] => _open[index];

    internal async Task OpenAsync(Func<Task<T>> open) => _open.Add(await open().ConfigureAwait(false));

    public IEnumerator<T> GetEnumerator() => _open.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    public async ValueTask DisposeAsync()
    {
        foreach (var each in _open)
            await each.DisposeAsync().ConfigureAwait(false);
    }
}
