using Tail.Resume;

namespace Tail.Tests.Resume;

public sealed class PositionKeeperTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("tail-tests-");
    private readonly SteppedClock _clock = new();
    private readonly ResumeFile _file;
    private readonly PositionKeeper _keeper;

    public PositionKeeperTests()
    {
        _file = new(Path.Combine(_directory.FullName, "position"), "--all");
        _keeper = new(_file, _clock);
    }

    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public void A_position_is_written_once_a_second()
    {
        _keeper.Printed(1);
        Assert.Null(_file.Read());

        _clock.Now = TimeSpan.FromSeconds(1);
        _keeper.Printed(2);
        _keeper.Printed(3);
        Assert.Equal(2, _file.Read());

        _clock.Now = TimeSpan.FromSeconds(1.75);
        Assert.Equal(TimeSpan.FromSeconds(0.25), _keeper.Due);
        _clock.Now = TimeSpan.FromSeconds(2);
        _keeper.WriteIfDue();
        Assert.Equal(3, _file.Read());
        Assert.Null(_keeper.Due);
    }

    [Fact]
    public void The_last_position_is_written_at_the_end()
    {
        _keeper.Printed(1);

        _keeper.Write();

        Assert.Equal(1, _file.Read());
    }

    [Fact]
    public void Without_a_position_nothing_is_written()
    {
        _clock.Now = TimeSpan.FromMinutes(1);

        _keeper.WriteIfDue();
        _keeper.Write();

        Assert.Null(_file.Read());
    }

    private sealed class SteppedClock : TimeProvider
    {
        internal TimeSpan Now { get; set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Now.Ticks;
    }
}
