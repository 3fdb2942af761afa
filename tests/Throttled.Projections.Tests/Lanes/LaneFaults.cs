using System.Data.Common;

namespace Throttled.Projections.Tests.Lanes;

/// <summary>What a lane asks of its store.</summary>
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

/// <summary>What becomes of a call.</summary>
internal enum CallFate
{
    /// <summary>It is done.</summary>
    Done,

    /// <summary>It fails for a reason that passes, and is not done.</summary>
    Fails,

    /// <summary>A commit is done, and its answer is lost.</summary>
    AnswerLost,

    /// <summary>The answer is lost, and the commit is done when somebody waits for its locks.</summary>
    DoneLater,
}

/// <summary>A fault of a scripted read model.</summary>
internal sealed class ReadModelFault(string message, bool isTransient) : DbException(message)
{
    public override bool IsTransient { get; } = isTransient;
}
