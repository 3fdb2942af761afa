using Throttled.Journal.Database;

namespace Throttled.Testing.Scripted;

/// <summary>A driver's error with its classification.</summary>
internal sealed class ScriptedFault(FaultKind kind, string? message = null) : Exception(message ?? $"scripted: {kind}")
{
    internal FaultKind Kind => kind;
}
