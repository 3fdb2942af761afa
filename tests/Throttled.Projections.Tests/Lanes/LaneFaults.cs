using System.Data.Common;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>The calls of a lane to its store.</summary>
internal enum StoreCall
{
    ReadLane,
    ReadDeadLetters,
    Begin,
    Move,
    StoreDeadLetters,
    RemoveDeadLetters,
    EndCommand,
    Commit,
}

/// <summary>The outcome of a call.</summary>
internal enum CallFate
{
    /// <summary>The call takes effect.</summary>
    Done,

    /// <summary>The call fails with a transient error and has no effect.</summary>
    Fails,

    /// <summary>The commit takes effect, and its answer is lost.</summary>
    AnswerLost,

    /// <summary>The answer is lost. The commit takes effect when another transaction waits for its locks.</summary>
    DoneLater,
}

/// <summary>A fault of a scripted read model.</summary>
internal sealed class ReadModelFault(string message, bool isTransient) : DbException(message)
{
    public override bool IsTransient { get; } = isTransient;
}
