namespace Throttled.Reshard.Settings;

/// <summary>A value on the command line cannot be used. The message says what and why.</summary>
internal sealed class SettingException(string message, Exception? inner = null) : Exception(message, inner);
