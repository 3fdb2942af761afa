namespace Throttled.AspNetCore;

/// <summary>
/// The options of the page of <see cref="ThrottledPageExtensions.MapThrottled"/>. Who may see the page is decided by a policy on the returned group.
/// </summary>
public sealed record ThrottledPageOptions
{
    /// <summary>
    /// Whether the page may pause and resume projections, and retry their dead letters. False by default: the page is then read-only. If true, the
    /// application needs the antiforgery services (<c>builder.Services.AddAntiforgery()</c>), because each command must have an antiforgery token.
    /// A command from a page of another site is refused.
    /// Each command is logged with its user and the user's address (id 301).
    /// </summary>
    public bool AllowCommands { get; init; }
}
