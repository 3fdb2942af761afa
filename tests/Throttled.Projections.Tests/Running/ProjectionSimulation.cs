using System.Globalization;
using System.Text;
using Microsoft.Data.Sqlite;
using Throttled.Journal.Sqlite;
using Throttled.Projections.Tests.Hosting;
using Throttled.Testing.Scripted;

namespace Throttled.Projections.Tests.Running;

/// <summary>
/// Processes of one projection on SQLite, with random options and filters. They start, stop and break off while events are appended, lanes are set and
/// read models are reset, rebuilt and swapped. The read model must have each event of the source after its start once, and in the order of its id. A
/// caller that waited for its event must find it.
/// </summary>
internal sealed class ProjectionSimulation
{
    private const string Name = "p";

    private static readonly TimeSpan Step = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan Long = TimeSpan.FromHours(100);

    private readonly HostedFiles _files = new();
    private readonly FakeClock _clock = new();
    private readonly Random _random;
    private readonly ProjectionSource _source;
    private readonly JournalReader _journal;
    private readonly JournalAppender _appender;
    private readonly ReadModelDatabase _readModel;
    private readonly ProjectionControl _control;
    private readonly ProjectionWaits _waits;
    private readonly List<Projection> _processes = [];
    private readonly List<Task> _waiting = [];
    private readonly Dictionary<string, long> _numbers = [];
    private readonly StringBuilder _story = new();
    private int _versions;
    // Odd while a command runs that may take events from the live read model.
    private int _resets;
    private int _found;

    internal ProjectionSimulation(int seed)
    {
        _random = new(seed);
        _journal = _files.OpenJournal();
        _appender = SqliteJournal.OpenAppender(_files.JournalString);
        _readModel = _files.OpenReadModel();
        _control = new(_readModel, _clock);
        _waits = new(_journal, _readModel, _clock);
        _source = _random.Next(4) switch
        {
            0 => ProjectionSource.ByTag("red"),
            1 => ProjectionSource.BySlices(_random.Next(512), _random.Next(600, 1_024)),
            _ => ProjectionSource.All,
        };
        _source = _random.Next(2) == 0 ? _source.WithIdPrefix("a") : _source;
        _source = _random.Next(3) switch { 0 => _source.OfTypes("n"), 1 => _source.OfTypes(typeof(int)), _ => _source };
    }

    /// <summary>The events that the read models had at the end.</summary>
    internal int Events { get; private set; }

    /// <summary>The waits whose event was looked for in the read model and found there.</summary>
    internal int Found => _found;

    public override string ToString() => $"{_source}{Environment.NewLine}{_story}";

    internal void Run() => RunAsync().GetAwaiter().GetResult();

    private async Task RunAsync()
    {
        try
        {
            await _appender.CreateAsync();
            await AppendAsync();
            Start();
            await UntilAsync(async () => (await _control.StatusAsync(Name)).Count > 0, "the read model");
            for (var step = _random.Next(5, 25); step > 0; step--)
                await ActAsync(_random.Next(14));
            await CheckAsync();
        }
        finally
        {
            foreach (var process in _processes)
                await process.DisposeAsync();
            await _journal.DisposeAsync();
            await _appender.DisposeAsync();
            _files.Delete();
        }
    }

    private Task ActAsync(int what) => what switch
    {
        0 or 1 when _processes.Count < 3 => StartAsync(),
        2 when _processes.Count > 0 => StopAsync(isBroken: false),
        3 when _processes.Count > 0 => StopAsync(isBroken: true),
        4 or 5 => CommandAsync("lanes", () => _control.SetLanesAsync(Name, _random.Next(1, 9))),
        6 => ResettingAsync("reset", () => _control.ResetAsync(Name)),
        7 => RebuildAsync(),
        8 => WaitForLastAsync(),
        9 => PassAsync(),
        _ => AppendAsync(),
    };

    private Task StartAsync()
    {
        Start();
        return Task.CompletedTask;
    }

    private void Start()
    {
        ProjectionOptions options = new()
        {
            Name = Name,
            Source = _source,
            StartAt = _random.Next(4) switch { 0 => ProjectionStart.Now, 1 => ProjectionStart.After(1), 2 => ProjectionStart.At(DateTimeOffset.MaxValue), _ => ProjectionStart.FirstEvent },
            Lanes = _random.Next(1, 9),
            BatchSize = _random.Next(1, 20),
            BatchAge = TimeSpan.FromMilliseconds(_random.Next(100)),
            MaxBufferedBytes = _random.Next(1, 5_000),
            Decoder = new JsonEvents().Add<int>("n").Add<string>("m").Decode,
            TimeProvider = _clock,
        };
        Log($"starts with {options.Lanes} lanes, batches of {options.BatchSize}, {options.StartAt}");
        _processes.Add(new(_journal, _readModel, new Copies(), options));
        _processes[^1].Start();
    }

    // A process that is broken off rolls its batches back, as one does whose connections are lost.
    private async Task StopAsync(bool isBroken)
    {
        var process = _processes[_random.Next(_processes.Count)];
        _processes.Remove(process);
        Log(isBroken ? "breaks off" : "stops");
        using var abort = new CancellationTokenSource();
        var stopping = process.StopAsync(abort.Token);
        if (isBroken)
            await abort.CancelAsync();
        await UntilAsync(() => Task.FromResult(stopping.IsCompleted), "the stop");
        await process.DisposeAsync();
    }

    private async Task AppendAsync()
    {
        List<JournalEvent> events = [];
        for (var count = _random.Next(1, 15); count > 0; count--)
        {
            var id = $"{(_random.Next(2) == 0 ? "a" : "b")}-{_random.Next(20)}";
            var isNumber = _random.Next(2) == 0;
            _numbers[id] = _numbers.GetValueOrDefault(id) + 1;
            events.Add(new()
            {
                PersistenceId = id,
                SequenceNumber = _numbers[id],
                Manifest = isNumber ? "n" : "m",
                Payload = Encoding.UTF8.GetBytes(isNumber ? "1" : "\"1\""),
                Tags = _random.Next(2) == 0 ? ["red"] : [],
            });
        }
        await _appender.AppendAsync(events);
        Log($"{events.Count} events");
    }

    private async Task CommandAsync(string what, Func<Task<string>> command)
    {
        if (_processes.Count == 0)
            Start();
        var task = command();
        await UntilAsync(() => Task.FromResult(task.IsCompleted), what);
        // It may be refused: the lanes are those already, or the slices are too few.
        Log($"{what}: {(task.IsFaulted ? task.Exception.InnerException is ProjectionException refused ? refused.Message : throw task.Exception : await task)}");
    }

    private async Task ResettingAsync(string what, Func<Task<string>> command)
    {
        _resets++;
        await CommandAsync(what, command);
        _resets++;
    }

    private async Task RebuildAsync()
    {
        var version = $"v{_versions++}";
        await CommandAsync("rebuild", () => _control.RebuildAsync(Name, version));
        if (_random.Next(2) == 0)
            await ActAsync(_random.Next(8, 14));
        await ResettingAsync("swap", () => _control.SwapAsync(Name, version, force: true));
    }

    private Task WaitForLastAsync()
    {
        var (id, number) = _numbers.ElementAt(_random.Next(_numbers.Count));
        Log($"waits for {id} {number}");
        _waiting.Add(WaitForAsync(id, number));
        return Task.CompletedTask;
    }

    private async Task WaitForAsync(string id, long number)
    {
        var resets = Volatile.Read(ref _resets);
        await _waits.WaitForAsync(Name, id, number, Long);
        var live = await LiveAsync();
        var orderings = Copies.Read(_files.ReadModelString, live.Version).Select(row => row.Ordering).ToHashSet();
        if (resets % 2 != 0 || resets != Volatile.Read(ref _resets))
            return;
        var expected = await ExpectedAsync(long.Parse(live.StartOffset, CultureInfo.InvariantCulture));
        await foreach (var stored in _journal.CurrentEventsByPersistenceId(id, number, number))
        {
            if (!expected.Contains(stored.Ordering))
                continue;
            Assert.True(orderings.Contains(stored.Ordering), $"{id} {number} was waited for, and is not in the read model.");
            Interlocked.Increment(ref _found);
        }
    }

    private Task PassAsync()
    {
        var (begun, time) = (_clock.Now, TimeSpan.FromSeconds(_random.Next(20)));
        return UntilAsync(() => Task.FromResult(_clock.Now - begun >= time), "time");
    }

    private async Task CheckAsync()
    {
        if (_processes.Count == 0)
            Start();
        foreach (var (id, number) in _numbers)
            _waiting.Add(WaitForAsync(id, number));
        var level = _waits.WaitUntilLevelAsync(Name, Long);
        await UntilAsync(() => Task.FromResult(level.IsCompleted), "the projection to catch up");
        await level;
        await UntilAsync(() => Task.FromResult(_waiting.TrueForAll(wait => wait.IsCompleted)), "the waits");
        await Task.WhenAll(_waiting);
        Assert.All(_processes, process => Assert.False(process.Completion.IsCompleted));
        await UntilAsync(async () => (await LiveAsync()).LagEvents == 0, "no lag");
        var live = await LiveAsync();
        var expected = await ExpectedAsync(long.Parse(live.StartOffset, CultureInfo.InvariantCulture));
        var rows = Copies.Read(_files.ReadModelString, live.Version);
        Assert.Equal(expected, rows.Select(row => row.Ordering).Order());
        Assert.All(rows.GroupBy(row => row.Id), id => Assert.Equal(id.Select(row => row.Ordering).Order(), id.Select(row => row.Ordering)));
        Assert.Equal((expected.Count, 0L), ((int)live.Events, live.UnhandledEvents));
        Events = expected.Count;
    }

    private async Task<ProjectionStatus> LiveAsync() => (await _control.StatusAsync(Name)).Single(status => status.Role == VersionRole.Live);

    private async Task<List<long>> ExpectedAsync(long start)
    {
        List<long> expected = [];
        var isOfManifest = _source.ToString().Contains("\"n\"", StringComparison.Ordinal) || _source.ToString().Contains("Int32", StringComparison.Ordinal);
        await foreach (var stored in _journal.CurrentAllEvents(start))
        {
            var slice = JournalSlices.Of(stored.PersistenceId);
            if ((_source.Tag is null || stored.Tags.Contains("red")) && slice >= _source.FirstSlice && slice <= _source.LastSlice
                && (!_source.ToString().Contains("prefix:", StringComparison.Ordinal) || stored.PersistenceId[0] == 'a') && (!isOfManifest || stored.Manifest == "n"))
                expected.Add(stored.Ordering);
        }
        return expected;
    }

    private Task UntilAsync(Func<Task<bool>> condition, string what) => Wait.UntilAsync(
        () =>
        {
            _clock.Advance(Step);
            return condition();
        },
        () => what);

    private void Log(string what) => _story.AppendLine(CultureInfo.InvariantCulture, $"{_clock.Now}: {what}");

    /// <summary>Copies each event into the table of its version. The row ids show the order.</summary>
    private sealed class Copies : BatchHandler
    {
        internal static List<(string Id, long Ordering)> Read(string connectionString, string version)
        {
            using var connection = new SqliteConnection(connectionString);
            connection.Open();
            using var command = connection.CreateCommand();
            command.CommandText = $"SELECT id, ordering FROM copies_{version} ORDER BY n";
            using var reader = command.ExecuteReader();
            List<(string, long)> rows = [];
            while (reader.Read())
                rows.Add((reader.GetString(0), reader.GetInt64(1)));
            return rows;
        }

        public override Task PrepareAsync(ReadModelScope scope, CancellationToken cancellationToken) => scope.ExecuteAsync(
            $"CREATE TABLE IF NOT EXISTS copies_{scope.Version} (n INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT, ordering INTEGER UNIQUE); DELETE FROM copies_{scope.Version}",
            cancellationToken);

        public override async Task HandleAsync(ProjectionBatch batch, CancellationToken cancellationToken)
        {
            foreach (var each in batch)
            {
                await batch.ExecuteAsync(
                    $"INSERT INTO copies_{batch.Version} (id, ordering) VALUES (@id, @ordering)", cancellationToken, ("id", each.PersistenceId), ("ordering", each.Ordering));
            }
        }
    }
}
