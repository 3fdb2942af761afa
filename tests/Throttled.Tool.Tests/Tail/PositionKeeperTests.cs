using Throttled.Testing.Scripted;
using Throttled.Tool.Tail;

namespace Throttled.Tool.Tests.Tail;

public sealed class PositionKeeperTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("tail-tests-");
    private readonly FakeClock _clock = new();
    private readonly ResumeFile _file;
    private readonly PositionKeeper _keeper;

    public PositionKeeperTests()
    {
        _file = new(Path.Combine(_directory.FullName, "position"), "sqlite journal", "--all");
        _keeper = new(_file, _clock);
    }

    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public void A_position_is_written_once_a_second()
    {
        _keeper.Printed(1);
        Assert.Null(_file.Read());

        _clock.Advance(TimeSpan.FromSeconds(1));
        _keeper.Printed(2);
        _keeper.Printed(3);
        Assert.Equal(2, _file.Read());
    }

    [Theory]
    [InlineData(0)]
    [InlineData(0.2504)]
    [InlineData(0.9996)]
    public async Task A_position_is_written_within_a_second_however_long_nothing_comes(double printed)
    {
        _clock.Advance(TimeSpan.FromSeconds(printed));
        _keeper.Printed(1);

        var waiting = _keeper.WriteWhileWaitingAsync(new TaskCompletionSource().Task);
        _clock.Advance(TimeSpan.FromSeconds(1));
        await waiting;

        Assert.Equal(1, _file.Read());
    }

    [Fact]
    public async Task What_comes_before_is_printed_first()
    {
        var coming = new TaskCompletionSource();
        _keeper.Printed(1);

        var waiting = _keeper.WriteWhileWaitingAsync(coming.Task);
        coming.SetResult();
        await waiting;

        Assert.Null(_file.Read());
    }

    [Fact]
    public void The_last_position_is_written_at_the_end()
    {
        _keeper.Printed(1);

        _keeper.Write();

        Assert.Equal(1, _file.Read());
    }

    [Fact]
    public async Task Without_a_position_nothing_is_written()
    {
        _clock.Advance(TimeSpan.FromMinutes(1));

        await _keeper.WriteWhileWaitingAsync(new TaskCompletionSource().Task);
        _keeper.Write();

        Assert.Null(_file.Read());
    }
}
