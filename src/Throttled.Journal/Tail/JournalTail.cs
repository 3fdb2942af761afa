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

    // Each look asks for all of them. Beyond this it is cheaper to begin at the end and read a page for each follower.
    private const int MostGaps = 1_000;

    private readonly JournalContext _context;
    private readonly TailParts _parts;
    private readonly FollowerIndex _followers = new();
    private readonly TailRound _round;
    private readonly HashSet<JournalFeed> _unsettled = [];
    private readonly OpenGaps _gaps;
    private readonly OldGapWarning _oldGap;
    private readonly TailPace _pace;
    private TailStart? _start;
    private JournalKey? _last;
    private int _epoch;
    private int _behind;
    private int _failures;
    private TimeSpan? _fatalSince;
    private bool _isDoubtful;
    private bool _isBusy;

    internal JournalTail(JournalContext context, TailParts parts)
    {
        _context = context;
        _parts = parts;
        _gaps = new(context.Options.GapTimeout);
        _oldGap = new(context);
        _round = new(_followers, context.Options.MaxRowsPerStatement);
        _pace = new(context, Look);
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

    /// <summary>
    /// The journal can be read again: it may be another server, or a restored one, where the newest rows are not those that were seen. The
    /// next look makes sure.
    /// </summary>
    internal void CameUp()
    {
        _isDoubtful = true;
        Wake();
    }

    /// <summary>The journal was written to: looks as soon as it may.</summary>
    internal void Wake()
    {
        _pace.Wake();
        if (!_isBusy && HasFollowers)
            _pace.Soon();
    }

    /// <summary>Ends all followers.</summary>
    internal void FailAll(Func<Exception> error)
    {
        foreach (var feed in _followers.All())
            feed.End(error());
    }

    public void Dispose() => _pace.Dispose();

    private void Sleep()
    {
        _pace.Stop();
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
        _pace.Begin();
        if (_start is null)
            ReadAnchor();
        else
            ReadKeys();
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
        LookAgain(isNews: false);
    }

    // Those that came to follow while it was open read one more page; nobody else has to.
    private void Settled()
    {
        ReadTagHorizon(_start!.Position);
        List<JournalFeed> unsettled = [.. _unsettled];
        _unsettled.Clear();
        foreach (var feed in unsettled)
            feed.ReadAgain();
    }

    // Another journal's horizon would hide tags.
    private void ForgetTagHorizon() => ReadTagHorizon(-1);

    // A help, not a need: where it fails, pages look for tags that may not be there.
    private void ReadTagHorizon(long settled)
    {
        if (!_context.Database.ReusesOrderings)
            _parts.Reserved.Run("tags", (database, cancellation) => database.ReadTagHorizonAsync(settled, cancellation), static _ => { });
    }

    private void ReadKeys()
    {
        var query = new KeysQuery(
            Position,
            Inclusive: _last is not null && (_isDoubtful || _context.Database.ReusesOrderings),
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
            LookNow();
            return;
        }
        if (query.Inclusive && (found.Above.Count == 0 || found.Above[0] != _last))
        {
            _context.Log.OrderingsReused();
            StartAnew();
            return;
        }
        _isDoubtful = false;
        var isFull = found.Above.Count >= KeysLimit || found.Late.Count >= KeysLimit;
        TakeIn(query, found);
        _behind = isFull ? _behind + KeysLimit : 0;
        if (_behind >= _context.Options.TailMaxLag || _gaps.Count > MostGaps)
        {
            _context.Log.Jumped(_behind, _gaps.Count);
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
        _oldGap.Look(_gaps);
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
                    Failed(error);
            });
    }

    private void EndRound(bool isNews)
    {
        _round.End();
        LookAgain(isNews);
    }

    private void LookAgain(bool isNews)
    {
        if (HasFollowers)
            _pace.Next(isNews);
    }

    private void LookNow()
    {
        if (HasFollowers)
            _pace.After(TimeSpan.Zero);
    }

    // All followers read pages; the tail goes on from the end of the journal.
    private void StartAnew()
    {
        _start = null;
        _isDoubtful = false;
        _unsettled.Clear();
        ForgetTagHorizon();
        foreach (var feed in _followers.All())
            feed.ReadAgain();
        LookNow();
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
                _fatalSince = null;
                _parts.Outage.Worked();
                succeeded();
            }
            else
                Failed(error);
        });
    }

    private void Failed(Exception error)
    {
        if (error is StatementLostException lost)
            WaitFor(lost.Statement);
        var kind = _context.Database.Classify(error);
        if (kind == FaultKind.Fatal && HasLasted())
            FailAll(() => new JournalException($"The journal cannot be followed: the look for new events failed: {error.Message}", error));
        else if (kind is FaultKind.Transient or FaultKind.TimedOut or FaultKind.Unreadable or FaultKind.Fatal)
        {
            _context.Metrics.Retried();
            var pause = BackOff.Delay(_failures++, _context.Random.NextDouble());
            _context.Log.Retried(_followers.Count, pause.TotalMilliseconds, error);
            if (_failures % BackOff.Many == 0)
                _context.Log.StillFailing(_followers.Count, _failures, error.Message, error);
            if (HasFollowers)
                _pace.After(pause);
        }
        else
        {
            _parts.Outage.Report(kind, error);
            _parts.Outage.Need();
        }
    }

    private bool HasLasted()
    {
        _fatalSince ??= _context.Loop.Now;
        return !_parts.Outage.HasWorked || _context.Loop.Now - _fatalSince >= _context.Options.FatalGrace;
    }

    // The tail has one permit; while the server may still be running the last statement, there is no next one.
    private void WaitFor(LostStatement statement)
    {
        _isBusy = true;
        _parts.Lost.Add(statement, () =>
        {
            _isBusy = false;
            LookNow();
        });
    }
}
