using Akka.Persistence.Query.Throttled.Tests.Ways;
using Throttled.Journal.Queries;
using Throttled.Journal.Rows;

namespace Akka.Persistence.Query.Throttled.Tests.Streams;

/// <summary>A query that learns only after its last page that it has ended, like that of one shard when the other shards have ended.</summary>
public class LateEndTests : StreamKit
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_late_end_completes_the_stream_without_further_demand(bool isRead)
    {
        var query = new LateEnd();
        var probe = Way.Run(Stream(query));
        await probe.RequestAsync(1);
        Assert.Equal(1, (await probe.ExpectNextAsync()).SequenceNumber);
        if (isRead)
        {
            await probe.RequestAsync(1);
            Assert.Equal(2, (await probe.ExpectNextAsync()).SequenceNumber);
            query.NotifyOfEnd();
        }
        else
        {
            query.NotifyOfEnd();
            await probe.RequestAsync(1);
            Assert.Equal(2, (await probe.ExpectNextAsync()).SequenceNumber);
        }
        await probe.ExpectCompleteAsync();
        Assert.Equal(1, query.Demands);
    }

    private sealed class LateEnd : JournalQuery<JournalEvent>, IFeed<JournalEvent>
    {
        private readonly Page<JournalEvent> _page = new([Event(1), Event(2)], 1);
        private IPageReader<JournalEvent> _reader = null!;

        internal int Demands { get; private set; }

        internal override IFeed<JournalEvent> Open(IPageReader<JournalEvent> reader)
        {
            _reader = reader;
            return this;
        }

        public void Demand()
        {
            Demands++;
            _reader.Receive(_page);
        }

        public void DemandAfter(JournalEvent last) => Assert.Fail("Its page was not reclaimed.");

        public void Close(Exception? failure = null)
        {
        }

        internal void NotifyOfEnd() => _reader.Ended(_page);

        private static JournalEvent Event(long number) =>
            new() { PersistenceId = "a", SequenceNumber = number, SerializerId = 4, Payload = new byte[] { 1 } };
    }
}
