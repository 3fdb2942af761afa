using Throttled.Projections.Diagnostics;

namespace Throttled.Projections.Running;

/// <summary>A handler's own code failed where a read model is made, reset, swapped or dropped; the transaction is rolled back.</summary>
internal sealed class HookException(string hook, Exception cause)
    : Exception($"The handler's {hook} failed: {ErrorText.Of(cause)}.", cause);
