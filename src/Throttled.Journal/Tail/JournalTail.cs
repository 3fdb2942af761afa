using Throttled.Journal.Diagnostics;
using Throttled.Journal.Faults;
using Throttled.Journal.Loop;
using Throttled.Journal.Ordering;
using Throttled.Journal.Queries;
using Throttled.Journal.Sql;

namespace Throttled.Journal.Tail;

/// <summary>
/// One poll for the whole journal: it reads the keys of new events and fetches the rows that some follower wants. However many
/// queries follow, there is one statement an interval while nothing happens, and none while nobody follows. On the loop.
/// </summary>
internal sealed class JournalTail : IDisposable
{
    private const int KeysLimit = 10_000;

    private readonly JournalContext _context;
    private readonly TailParts _parts;
    private readonly FollowerIndex _followers = new();
    private readonly TailRound _round;
    private readonly HashSet<JournalFeed> _unsettled = [];
    private readonly OpenGaps _gaps;
    private readonly LoopTimer _timer;
    private TailStart? _start;
    private JournalKey? _last;
    private TimeSpan _lookedAt;
    private TimeSpan _pause;
    private int _epoch;
    private int _behind;
    private int _failures;
    private bool _isBusy;
    private bool _wasWoken;

    internal JournalTail(JournalContext context, TailParts parts)
    {
        _context = context;
        _parts = parts;
        _gaps = new(context.Options.GapTimeout);
        _round = new(_followers, context.Options.MaxRowsPerStatement);
        _timer = new(context.Loop, _ => Look());
    }

    /// <summary>
    /// Which of its starts the tail follows from; 0 while what was open at that start may still commit. Pages read while this stood at its
    /// present value, other than 0, and what the tail brings have no hole between them.
    /// </summary>
    internal int SettledEpoch => _start is { IsSettled: true } ? _epoch : 0;

    internal bool HasFollowers => _followers.Count > 0;

    private long Position => _last?.Ordering ?? 0;

    /// <summary>From now on the feed is told of its keys.</summary>
    internal void Follow(JournalFeed feed)
    {
        _followers.Add(feed);
        if (_followers.Count == 1)
            Look();
    }

    internal void Unfollow(JournalFeed feed)
    {
        _followers.Remove(feed);
        _unsettled.Remove(feed);
        if (_followers.Count == 0)
            Sleep();
    }

    /// <summary>Tells the feed to read a page once <see cref="SettledEpoch"/> is not 0 any more.</summary>
    internal void TellWhenSettled(JournalFeed feed) => _unsettled.Add(feed);

    /// <summary>The journal was written to, or can be read again: looks as soon as it may.</summary>
    internal void Wake()
    {
        _wasWoken = true;
        if (!_isBusy)
            LookIn(_context.Options.TailMinInterval);
    }

    /// <summary>Ends all followers.</summary>
    internal void FailAll(Exception error)
    {
        foreach (var feed in _followers.All())
            feed.End(error);
    }

    public void Dispose() => _timer.Dispose();

    private void Sleep()
    {
        _timer.Cancel();
        _start = null;
        _gaps.Clear();
        _unsettled.Clear();
    }

    private void Look()
    {
        if (_isBusy || _followers.Count == 0)
            return;
        if (!_parts.Outage.IsUp)
        {
            _parts.Outage.Need();
            return;
        }
        _timer.Cancel();
        _wasWoken = false;
        _lookedAt = _context.Loop.Now;
        if (_start is null)
            ReadAnchor();
        else
            ReadKeys();
    }

    private void LookIn(TimeSpan interval)
    {
        if (_followers.Count > 0)
            _timer.Set(_lookedAt + interval - _context.Loop.Now);
    }

    private void ReadAnchor()
    {
        TailAnchor? anchor = null;
        Run(
            "anchor",
            async (database, cancellation) => anchor = await database.ReadAnchorAsync(cancellation).ConfigureAwait(false),
            () => Anchored(anchor!));
    }

    private void Anchored(TailAnchor anchor)
    {
        if (_followers.Count == 0)
            return;
        _start = new(anchor, _context.Loop.Now, _context.Options.GapTimeout);
        _last = anchor.Last;
        _epoch++;
        _behind = 0;
        _gaps.Clear();
        if (_start.IsSettled)
            Settled();
        _pause = _wasWoken ? _context.Options.TailMinInterval : _context.Options.RefreshInterval;
        LookIn(_pause);
    }

    // Those that came to follow while it was open read one more page; nobody else has to.
    private void Settled()
    {
        ReadTagHorizon();
        List<JournalFeed> unsettled = [.. _unsettled];
        _unsettled.Clear();
        foreach (var feed in unsettled)
            feed.ReadAgain();
    }

    // A help, not a need: where it fails, pages look for tags that may not be there.
    private void ReadTagHorizon()
    {
        var settled = Position;
        if (!_context.Database.ReusesOrderings)
            _parts.Reserved.Run("tags", (database, cancellation) => database.ReadTagHorizonAsync(settled, cancellation), static _ => { });
    }

    private void ReadKeys()
    {
        var query = new KeysQuery(
            Position,
            Inclusive: _last is not null && _context.Database.ReusesOrderings,
            _gaps.Ranges,
            KeysLimit,
            WithHolders: _gaps.Count > 0 || !_start!.IsSettled);
        KeysFound? found = null;
        Run(
            "keys",
            async (database, cancellation) => found = await database.ReadKeysAsync(query, cancellation).ConfigureAwait(false),
            () => Found(query, found!));
    }

    private void Found(KeysQuery query, KeysFound found)
    {
        if (_start is null)
        {
            LookIn(TimeSpan.Zero);
            return;
        }
        if (query.Inclusive && (found.Above.Count == 0 || found.Above[0] != _last))
        {
            _context.Log.OrderingsReused();
            StartAnew();
            return;
        }
        var isFull = found.Above.Count >= KeysLimit || found.Late.Count >= KeysLimit;
        TakeIn(query, found);
        _behind = isFull ? _behind + KeysLimit : 0;
        if (_behind >= _context.Options.TailMaxLag)
        {
            _context.Log.Jumped(_behind);
            StartAnew();
            return;
        }
        var wanted = _round.Tell(found);
        var isNews = found.Above.Count > (query.Inclusive ? 1 : 0) || found.Late.Count > 0;
        if (wanted.Count > 0)
            ReadRows(wanted);
        else
            EndRound(isNews);
    }

    private void TakeIn(KeysQuery query, KeysFound found)
    {
        _gaps.Looked(query.After, found, found.Late.Count < query.Limit, _context.Loop.Now);
        if (found.Above.Count > 0)
            _last = found.Above[^1];
        if (_start!.IsSettled)
            return;
        _start.Looked(found.Holders, _context.Loop.Now);
        if (_start.IsSettled)
            Settled();
    }

    private void ReadRows(List<long> orderings)
    {
        var statement = new RowsStatement(orderings, _parts.Budget);
        _isBusy = true;
        _parts.Reserved.Run(
            "rows",
            (database, cancellation) => database.ReadRowsAsync(statement, cancellation),
            error =>
            {
                _isBusy = false;
                statement.Discard();
                if (error is null)
                {
                    _parts.Outage.Worked();
                    _round.Offer(statement.Events);
                }
                // Followers that miss a row read a page, which says better than this what is wrong.
                EndRound(isNews: true);
                if (error is not null)
                    Failed(error, "read of new rows");
            });
    }

    private void EndRound(bool isNews)
    {
        _round.End();
        _pause = isNews || _wasWoken ? _context.Options.TailMinInterval : Longer(_pause);
        LookIn(_pause);
    }

    // Doubling towards the interval at rest: whoever writes steadily, but not within every shortest pause, is not made to
    // wait a whole interval for it. A pause is about as long as the journal has been quiet.
    private TimeSpan Longer(TimeSpan pause)
    {
        var most = _context.Options.RefreshInterval;
        var doubled = 2 * (pause > most / 32 ? pause : most / 32);
        return doubled < most ? doubled : most;
    }

    // All followers read pages; the tail goes on from the end of the journal.
    private void StartAnew()
    {
        _start = null;
        _unsettled.Clear();
        foreach (var feed in _followers.All())
            feed.ReadAgain();
        LookIn(TimeSpan.Zero);
    }

    private void Run(string kind, Func<IJournalDatabase, CancellationToken, Task> statement, Action succeeded)
    {
        _isBusy = true;
        _parts.Reserved.Run(kind, statement, error =>
        {
            _isBusy = false;
            if (error is null)
            {
                _failures = 0;
                _parts.Outage.Worked();
                succeeded();
            }
            else
                Failed(error, "look for new events");
        });
    }

    private void Failed(Exception error, string statement)
    {
        if (error is StatementLostException lost)
            WaitFor(lost.Statement);
        var kind = _context.Database.Classify(error);
        if (kind is FaultKind.Transient or FaultKind.TimedOut or FaultKind.Unreadable)
        {
            _context.Metrics.Retried();
            var pause = BackOff.Delay(_failures++, _context.Random.NextDouble());
            _context.Log.Retried(_followers.Count, pause.TotalMilliseconds, error);
            LookIn(_context.Loop.Now - _lookedAt + pause);
        }
        else
        {
            _parts.Outage.Report(kind, error, statement);
            _parts.Outage.Need();
        }
    }

    // The tail has one permit; while the server may still be running the last statement, there is no next one.
    private void WaitFor(LostStatement statement)
    {
        _isBusy = true;
        _parts.Lost.Add(statement, () =>
        {
            _isBusy = false;
            LookIn(_context.Options.TailMinInterval);
        });
    }
}
