namespace Throttled.Reshard.Settings;

/// <summary>Something on the command line cannot be used; its message says what and why.</summary>
internal sealed class SettingException(string message, Exception? inner = null) : Exception(message, inner);
