using Throttled.Projections.Offsets;

namespace Throttled.Projections.Tests.Offsets;

/// <summary>Lanes that move and are laid out again, compared with one offset for each slice.</summary>
internal sealed class SliceOffsets
{
    private readonly Random _random;
    private readonly SliceRange _slices;
    private readonly long[] _model = new long[JournalSlices.Count];
    private IReadOnlyList<SliceRange> _lanes;
    private IReadOnlyList<SliceOffset> _rows;

    internal SliceOffsets(Random random)
    {
        _random = random;
        _slices = SomeSlices(random);
        _rows = [new(_slices, 0, 0)];
        _lanes = LaneSlices.Divide(_slices, 1);
    }

    internal static SliceRange SomeSlices(Random random)
    {
        var first = random.Next(2) == 0 ? 0 : random.Next(JournalSlices.Count);
        return new(first, random.Next(2) == 0 ? JournalSlices.Count - 1 : random.Next(first, JournalSlices.Count));
    }

    internal void Run()
    {
        for (var step = 0; step < 20; step++)
        {
            if (_random.Next(3) == 0)
                LayOut();
            else
                Move(_random.Next(_lanes.Count));
            Check();
        }
    }

    private void LayOut()
    {
        _lanes = LaneSlices.Divide(_slices, _random.Next(4) == 0 ? _random.Next(1, _slices.Count + 1) : Math.Min(_slices.Count, _random.Next(1, 9)));
        _rows = LaneSlices.Cut(_rows, _lanes);
    }

    private void Move(int number)
    {
        var lane = _lanes[number];
        var offsets = new LaneOffsets(Of(lane));
        Assert.Equal(lane, offsets.Slices);
        for (var moves = _random.Next(1, 4); moves > 0; moves--)
        {
            var to = _random.NextInt64(1, 60);
            var move = offsets.MoveTo(to, to * 10, 1);
            Assert.Equal(Of(lane), move.From);
            offsets.Apply(move);
            _rows = [.. _rows.Where(row => row.Slices.First < lane.First), .. move.To, .. _rows.Where(row => row.Slices.First > lane.Last)];
            for (var slice = lane.First; slice <= lane.Last; slice++)
                _model[slice] = Math.Max(_model[slice], to);
        }
        CheckLane(lane, offsets);
    }

    private SliceOffset[] Of(SliceRange lane) => [.. _rows.Where(row => lane.Contains(row.Slices.First))];

    private void CheckLane(SliceRange lane, LaneOffsets offsets)
    {
        var model = _model[lane.First..(lane.Last + 1)];
        Assert.Equal(model.Min(), offsets.Lowest);
        Assert.Equal(model.Distinct().Count() == 1, offsets.IsUniform);
        for (var check = 0; check < 20; check++)
        {
            var (slice, ordering) = (_random.Next(lane.First, lane.Last + 1), _random.NextInt64(0, 60));
            Assert.Equal(ordering > _model[slice], offsets.IsNew(slice, ordering));
        }
        Assert.False(offsets.IsNew(lane.Last + 1, 1000));
    }

    private void Check()
    {
        Assert.Equal(_slices.First, _rows[0].Slices.First);
        Assert.Equal(_slices.Last, _rows[^1].Slices.Last);
        for (var index = 0; index < _rows.Count; index++)
        {
            var row = _rows[index];
            Assert.Equal(row.Ordering * 10, row.Timestamp);
            Assert.All(Enumerable.Range(row.Slices.First, row.Slices.Count), slice => Assert.Equal(_model[slice], row.Ordering));
            Assert.Single(_lanes, lane => lane.Contains(row.Slices.First) && lane.Contains(row.Slices.Last));
            if (index > 0)
                CheckNeighbours(_rows[index - 1], row);
        }
    }

    private void CheckNeighbours(SliceOffset before, SliceOffset row)
    {
        Assert.Equal(before.Slices.Last + 1, row.Slices.First);
        Assert.True(before.Ordering != row.Ordering || _lanes.Any(lane => lane.First == row.Slices.First), "Rows of a lane with the same ordering must be one row.");
    }
}
