using System.Data.Common;

namespace CrushTest.Databases;

/// <summary>Asks a server's own view all the time how many statements of the engine are running.</summary>
internal sealed class ActivityCount : IStatementCount
{
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(20);

    private readonly CancellationTokenSource _end = new();
    private readonly DbCommand _question;
    private readonly Task _counting;
    private int _most;

    /// <param name="question">Gives the number. Its connection is open, and is closed with it.</param>
    /// <param name="view">What it asks.</param>
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
