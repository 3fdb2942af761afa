namespace Throttled.Journal.Sql;

/// <summary>How much one statement in journal order reads at most.</summary>
/// <param name="MaxRows">Rows.</param>
/// <param name="Window">Orderings behind its position.</param>
/// <param name="TagsComeLater">Whether the database knows by itself which rows have the tag, and the rows get theirs after they were added.</param>
internal readonly record struct OrderedLimits(int MaxRows, long Window, bool TagsComeLater);
