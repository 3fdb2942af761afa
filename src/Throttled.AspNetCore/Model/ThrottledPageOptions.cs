namespace Throttled.AspNetCore;

/// <summary>
/// How the page of <see cref="ThrottledPageExtensions.MapThrottled"/> works. Who may see it is not an option: that is a policy of the returned group.
/// </summary>
public sealed record ThrottledPageOptions
{
    /// <summary>
    /// Whether the page may give commands to projections: pause, resume, and retry dead letters. False by default: the page only shows. If true, the
    /// application needs the antiforgery services (<c>builder.Services.AddAntiforgery()</c>), because each command must have their token. A command of a
    /// page of another site is refused.
    /// A log message (id 301) has each command, its user and the user's address.
    /// </summary>
    public bool AllowCommands { get; init; }
}
