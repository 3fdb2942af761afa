using System.Data;
using System.Data.Common;
using Throttled.Projections.Offsets;
using Throttled.Projections.Store;
using Throttled.Projections.Tables;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>A transaction of a scripted read model: what is written in it is there from the commit on.</summary>
internal sealed class ScriptedLaneTransaction(ScriptedLaneStore store, long epoch, CancellationToken cancellation) : ILaneTransaction
{
    internal long Epoch => epoch;

    internal SliceRange Slices { get; set; }

    internal OffsetMove? Move { get; private set; }

    internal List<JournalEvent> Effects { get; } = [];

    internal List<DeadLetter> DeadLetters { get; } = [];

    internal List<long> RemovedDeadLetters { get; } = [];

    internal List<(long Id, CommandOutcome Outcome)> Ended { get; } = [];

    /// <summary>Whether the database refuses to commit, because a statement failed and the handler swallowed the error.</summary>
    internal bool IsAborted { get; set; }

    public DbTransaction Transaction => new Written(this);

    internal static ScriptedLaneTransaction Of(DbTransaction transaction) => ((Written)transaction).Transaction;

    public async Task MoveAsync(OffsetMove move)
    {
        store.Throw(StoreCall.Move, cancellation);
        Move = move;
        await store.LockAsync(this, move, cancellation);
    }

    public Task CountUnhandledAsync(int events) => Task.CompletedTask;

    public Task StoreDeadLettersAsync(IReadOnlyList<DeadLetter> deadLetters)
    {
        Write(StoreCall.StoreDeadLetters);
        DeadLetters.AddRange(deadLetters);
        return Task.CompletedTask;
    }

    public Task RemoveDeadLettersAsync(string persistenceId, IReadOnlyList<long> orderings)
    {
        Write(StoreCall.RemoveDeadLetters);
        store.Check(() => orderings.All(ordering => store.HasDeadLetter(persistenceId, ordering)), "a dead letter is not there any more");
        RemovedDeadLetters.AddRange(orderings);
        return Task.CompletedTask;
    }

    public Task RecordCommandAsync(long id, CommandOutcome? outcome)
    {
        Write(StoreCall.EndCommand);
        if (store.Locked(() => store.HasEnded(id)))
            throw new CommandEndedException(id);
        if (outcome is not null)
            Ended.Add((id, outcome));
        return Task.CompletedTask;
    }

    public Task<bool> HasFailedByAsync(Exception error) => Task.FromResult(store.IsTransient(error));

    public Task CommitAsync()
    {
        var fate = store.Throw(StoreCall.Commit, default);
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

    private void Write(StoreCall call)
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
