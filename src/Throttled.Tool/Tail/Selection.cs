namespace Throttled.Tool.Tail;

/// <summary>What to read. Its text is that of the command line, and is the same in each run.</summary>
internal abstract record Selection
{
    /// <summary>The persistence ids that have events.</summary>
    internal sealed record Ids : Selection
    {
        public override string ToString() => "--ids";
    }

    internal abstract record Events : Selection
    {
        // A current query ends at the journal end.
        internal abstract IAsyncEnumerable<JournalEvent> Read(JournalReader reader, long after, bool current);

        /// <summary>The position after an event, from which the query can go on.</summary>
        internal virtual long PositionOf(JournalEvent each) => each.Ordering;
    }

    internal sealed record All : Events
    {
        internal override IAsyncEnumerable<JournalEvent> Read(JournalReader reader, long after, bool current) =>
            current ? reader.CurrentAllEvents(after) : reader.AllEvents(after);

        public override string ToString() => "--all";
    }

    internal sealed record WithTag(string Tag) : Events
    {
        internal override IAsyncEnumerable<JournalEvent> Read(JournalReader reader, long after, bool current) =>
            current ? reader.CurrentEventsByTag(Tag, after) : reader.EventsByTag(Tag, after);

        public override string ToString() => $"--tag {Tag}";
    }

    internal sealed record OfSlices(int Min, int Max) : Events
    {
        internal override IAsyncEnumerable<JournalEvent> Read(JournalReader reader, long after, bool current) =>
            current ? reader.CurrentEventsBySlices(Min, Max, after) : reader.EventsBySlices(Min, Max, after);

        public override string ToString() => $"--slices {Min}-{Max}";
    }

    internal sealed record OfId(string Id) : Events
    {
        internal override IAsyncEnumerable<JournalEvent> Read(JournalReader reader, long after, bool current) =>
            current ? reader.CurrentEventsByPersistenceId(Id, after + 1) : reader.EventsByPersistenceId(Id, after + 1);

        internal override long PositionOf(JournalEvent each) => each.SequenceNumber;

        public override string ToString() => $"--id {Id}";
    }
}
