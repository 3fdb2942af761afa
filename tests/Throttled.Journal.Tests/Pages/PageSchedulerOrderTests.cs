namespace Throttled.Journal.Tests.Pages;

public sealed class PageSchedulerOrderTests
{
    [Fact]
    public void Requests_are_served_in_the_order_in_which_they_joined() => Seeds.ForEach(200, seed => new Order(seed), order => order.Run());

    /// <summary>Queries join, leave and are served at random. Their statements must begin in the order in which they joined.</summary>
    private sealed class Order(int seed)
    {
        private readonly Random _random = new(seed);
        private readonly List<string> _joined = [];
        private readonly List<PolledReader> _readers = [];
        private readonly List<string> _left = [];

        internal void Run()
        {
            using var world = new World(options => options with
            {
                MaxConcurrentQueries = _random.Next(1, 4),
                MaxQueriesPerStatement = _random.Next(1, 5),
                MaxRowsPerStatement = _random.Next(1, 9),
            });
            world.IsHeld = _ => _random.Next(3) == 0;
            for (var step = 0; step < 60; step++)
                Step(world);
            world.IsHeld = _ => false;
            world.Settle();
            var served = PageSchedulerTests.FirstServed(world);
            Assert.Equal(_joined.Where(served.Contains), served);
            Assert.Empty(_joined.Except(served).Except(_left));
        }

        private void Step(World world)
        {
            if (_random.Next(2) == 0)
                Join(world);
            else if (_random.Next(3) == 0 && _readers.Count > 0)
                Leave();
            else
                world.Settle();
        }

        private void Join(World world)
        {
            var id = $"p{_joined.Count}";
            world.Journal.Append(id, 1, _random.Next(4));
            _joined.Add(id);
            _readers.Add(world.OpenCurrent(id));
            _readers[^1].Step();
        }

        private void Leave()
        {
            var reader = _readers[_random.Next(_readers.Count)];
            _readers.Remove(reader);
            _left.Add(reader.Query.PersistenceId);
            reader.Dispose();
        }
    }
}
