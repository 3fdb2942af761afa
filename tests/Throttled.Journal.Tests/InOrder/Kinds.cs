namespace Throttled.Journal.Tests.InOrder;

/// <summary>The queries in journal order. Events of <see cref="Id"/> with the tag <see cref="Tag"/> match all of them.</summary>
public enum Kind
{
    All,
    Tag,
    Slice,
}

internal static class Kinds
{
    internal const string Id = "p";
    internal const string Tag = "red";

    /// <summary>Only a query of all events matches it.</summary>
    internal const string Other = "q";

    internal static PolledReader Open(this World world, Kind kind, long after = 0, bool isLive = true) => kind switch
    {
        Kind.All => world.OpenAll(after, isLive),
        Kind.Tag => world.OpenTag(Tag, after, isLive),
        _ => world.OpenSlice(Id, after, isLive),
    };

    /// <summary>Appends events that match every kind of query.</summary>
    internal static void Append(this World world, long from, long to) => world.Journal.Append(Id, from, to, 10, Tag);

    internal static ScriptedTransaction BeginOne(this World world, long sequenceNumber, string? name = null)
    {
        var transaction = world.Journal.Begin(name);
        transaction.Add(Id, sequenceNumber, 10, Tag);
        return transaction;
    }

    internal static void Commit(this World world, ScriptedTransaction transaction)
    {
        transaction.Commit();
        world.Journal.LetGo(transaction);
    }

    internal static void RollBack(this World world, ScriptedTransaction transaction)
    {
        transaction.RollBack();
        world.Journal.LetGo(transaction);
    }

    internal static int Statements(this World world, CallKind kind) => world.Database.Of(kind).Count();
}
