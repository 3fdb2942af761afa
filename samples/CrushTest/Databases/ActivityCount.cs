using System.Data.Common;

namespace CrushTest.Databases;

/// <summary>The number of the readers' statements that run at once, as the database shows it.</summary>
internal interface IStatementCount : IAsyncDisposable
{
    /// <summary>The most at once so far.</summary>
    int Most { get; }

    /// <summary>The database's view that shows them.</summary>
    string View { get; }
}

/// <summary>The counts of several databases.</summary>
internal sealed class ShardedCount(IReadOnlyList<IStatementCount> counts) : IStatementCount
{
    /// <summary>The sum of each database's maximum. These may be at different times.</summary>
    public int Most => counts.Sum(count => count.Most);

    public string View => counts[0].View;

    public async ValueTask DisposeAsync()
    {
        foreach (var count in counts)
            await count.DisposeAsync();
    }
}

/// <summary>Queries a server's own view every 20 ms for the number of the readers' statements.</summary>
internal sealed class ActivityCount : IStatementCount
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    private readonly CancellationTokenSource _end = new();
    private readonly DbCommand _question;
    private readonly Task _counting;
    private int _most;

    /// <param name="question">Reads the number. Its connection is open, and this object closes it.</param>
    internal ActivityCount(DbCommand question, string view)
    {
        (_question, View) = (question, view);
        _counting = CountAsync();
    }

    public int Most => Volatile.Read(ref _most);

    public string View { get; }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _counting;
        await _question.Connection!.DisposeAsync();
        await _question.DisposeAsync();
        _end.Dispose();
    }

    private async Task CountAsync()
    {
        try
        {
            await _question.PrepareAsync(_end.Token);
            while (true)
            {
                var now = Convert.ToInt32(await _question.ExecuteScalarAsync(_end.Token), null);
                _most = Math.Max(_most, now);
                await Task.Delay(Pause, _end.Token);
            }
        }
        catch (OperationCanceledException)
        {
        }
        catch (DbException) when (_end.IsCancellationRequested)
        {
        }
    }
}
