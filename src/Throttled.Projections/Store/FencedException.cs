namespace Throttled.Projections.Store;

/// <summary>
/// What a runner knew is not so any more: another has moved the offsets, laid the lanes out anew, or reset them. It wrote nothing; it has to
/// read again how things are.
/// </summary>
internal sealed class FencedException(string message) : Exception(message);
