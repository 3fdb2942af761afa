using Throttled.Journal.Database;

namespace Throttled.Testing.Scripted;

/// <summary>What a driver would throw, with its meaning written on it.</summary>
internal sealed class ScriptedFault(FaultKind kind, string? message = null) : Exception(message ?? $"scripted: {kind}")
{
    internal FaultKind Kind => kind;
}
