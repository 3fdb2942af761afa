namespace Akka.Persistence.Query.Throttled.Settings;

/// <summary>A setting that a read journal inherits from the section of its write plugin.</summary>
/// <param name="Key">The read journal's key.</param>
/// <param name="Text">Its value.</param>
/// <param name="Name">The full name of the setting that says it.</param>
internal sealed record LentSetting(string Key, string Text, string Name);
