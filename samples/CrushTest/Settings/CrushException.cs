namespace CrushTest.Settings;

/// <summary>Something that whoever started the crush test can mend; its message says what and how.</summary>
internal sealed class CrushException(string message, Exception? inner = null) : Exception(message, inner);
