namespace Throttled.Journal.Sql;

/// <summary>The connections that a server gives out, and how many of them one journal may take.</summary>
/// <param name="Usable">Connections that it gives to ordinary users, all processes together.</param>
/// <param name="Others">Those that a journal takes beside its statements.</param>
internal sealed record ConnectionBudget(int Usable, int Others)
{
    private const int MostForOperator = 5;

    /// <summary>How many statements of a journal may run at once: two processes like this one leave some connections for an operator.</summary>
    internal int Statements => Math.Max(1, ((Usable - Math.Min(MostForOperator, Usable / 10)) / 2) - Others);
}
