using System.Data;
using System.Data.Common;
using Throttled.Journal;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>A transaction of a scripted read model: its writes take effect at the commit.</summary>
internal sealed class ScriptedLaneTransaction(ScriptedLaneStore store, long epoch) : ILaneTransaction
{
    internal long Epoch => epoch;

    internal SliceRange Slices { get; set; }

    internal OffsetMove? Move { get; private set; }

    internal List<JournalEvent> Effects { get; } = [];

    internal List<DeadLetterRow> DeadLetters { get; } = [];

    internal List<long> RemovedDeadLetters { get; } = [];

    internal List<(long Id, CommandState State, string Result)> Ended { get; } = [];

    /// <summary>Whether the database refuses to commit, because a statement failed and the handler swallowed the error.</summary>
    internal bool IsAborted { get; set; }

    public DbTransaction Transaction => new Written(this);

    internal static ScriptedLaneTransaction Of(DbTransaction transaction) => ((Written)transaction).Transaction;

    public async Task MoveAsync(OffsetMove move, CancellationToken cancellation)
    {
        store.Throw(StoreCall.Move, cancellation);
        Move = move;
        await store.LockAsync(this, move, cancellation);
    }

    public Task CountUnhandledAsync(int events, CancellationToken cancellation) => Task.CompletedTask;

    public Task StoreDeadLettersAsync(IReadOnlyList<DeadLetterRow> deadLetters, CancellationToken cancellation)
    {
        Write(StoreCall.StoreDeadLetters, cancellation);
        DeadLetters.AddRange(deadLetters);
        return Task.CompletedTask;
    }

    public Task RemoveDeadLettersAsync(string persistenceId, IReadOnlyList<long> orderings, CancellationToken cancellation)
    {
        Write(StoreCall.RemoveDeadLetters, cancellation);
        store.Check(() => orderings.All(ordering => store.HasDeadLetter(persistenceId, ordering)), "a dead letter is not there any more");
        RemovedDeadLetters.AddRange(orderings);
        return Task.CompletedTask;
    }

    public Task EndCommandAsync(long id, CommandState state, string result, CancellationToken cancellation)
    {
        Write(StoreCall.EndCommand, cancellation);
        store.Check(() => !store.HasEnded(id), "the command has ended");
        Ended.Add((id, state, result));
        return Task.CompletedTask;
    }

    public Task<bool> HasFailedByAsync(Exception error, CancellationToken cancellation) => Task.FromResult(store.IsTransient(error));

    public Task CommitAsync(CancellationToken cancellation)
    {
        var fate = store.Throw(StoreCall.Commit, cancellation);
        if (IsAborted)
            throw new ReadModelFault("current transaction is aborted", isTransient: false);
        if (fate == CallFate.DoneLater)
            store.Doubt(this);
        else
            store.Commit(this);
        return fate == CallFate.Done ? Task.CompletedTask : throw new ReadModelFault("the answer was lost", isTransient: true);
    }

    public ValueTask DisposeAsync()
    {
        store.End(this);
        return default;
    }

    private void Write(StoreCall call, CancellationToken cancellation)
    {
        store.Throw(call, cancellation);
        Assert.NotNull(Move);
        if (IsAborted)
            throw new ReadModelFault("current transaction is aborted", isTransient: false);
    }

    private sealed class Written(ScriptedLaneTransaction transaction) : DbTransaction
    {
        internal ScriptedLaneTransaction Transaction => transaction;

        public override IsolationLevel IsolationLevel => IsolationLevel.ReadCommitted;

        protected override DbConnection? DbConnection => null;

        public override void Commit() => throw new NotSupportedException();

        public override void Rollback() => throw new NotSupportedException();
    }
}
