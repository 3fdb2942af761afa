using System.Collections;
using System.Collections.Concurrent;
using System.Reflection;
using Throttled.Journal.Pages;
using Throttled.Journal.Permits;
using Throttled.Journal.Tail;

namespace Throttled.Testing.Scripted;

/// <summary>
/// Lists what an engine still holds: each collection that is not empty, and each query, row, page, batch and slot that it
/// references. When all queries have ended, the list must be empty, or the engine's memory grows with time.
/// </summary>
internal static class Remains
{
    private static readonly ConcurrentDictionary<Type, FieldInfo[]> Fields = [];

    internal static List<string> Of(JournalEngine engine)
    {
        List<string> found = [];
        var seen = new HashSet<object>(ReferenceEqualityComparer.Instance);
        var next = new Stack<(object Part, string Path)>([(engine, "engine")]);
        while (next.TryPop(out var part))
        {
            if (!seen.Add(part.Part))
                continue;
            if (IsRemains(part.Part))
                found.Add($"{part.Path}: {part.Part.GetType().Name}");
            Enter(part.Part, part.Path, next, found);
        }
        return found;
    }

    private static void Enter(object part, string path, Stack<(object Part, string Path)> next, List<string> found)
    {
        foreach (var field in Fields.GetOrAdd(part.GetType(), FieldsOf))
        {
            if (field.GetValue(part) is not { } value)
                continue;
            var name = $"{path}.{field.Name}";
            if (CountOf(value) is var count and > 0 && field.Name != "_parts")
                found.Add($"{name} has {count}");
            if (IsOurs(value.GetType()))
                next.Push((value, name));
        }
    }

    // A set has its count only in its own type.
    private static int CountOf(object value) => value switch
    {
        Array => 0,
        ICollection list => list.Count,
        IEnumerable set when set.GetType().Namespace!.StartsWith("System.Collections", StringComparison.Ordinal) => set.Cast<object>().Count(),
        _ => 0,
    };

    // The list of the persistence ids also requests pages, so it is not a remainder.
    private static bool IsRemains(object part) =>
        part is PageRequest and not PersistenceIdList or JournalEvent or PageBatch or BatchRun or StatementSlot;

    // Skip objects of the test, and objects that never change.
    private static bool IsOurs(Type type) =>
        type.Assembly == typeof(JournalEngine).Assembly && !type.IsEnum && type.Namespace != "Throttled.Journal.Diagnostics" && type != typeof(JournalOptions);

    private static FieldInfo[] FieldsOf(Type type)
    {
        List<FieldInfo> fields = [];
        for (var declaring = type; declaring is not null && declaring != typeof(object); declaring = declaring.BaseType)
            fields.AddRange(declaring.GetFields(BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.DeclaredOnly));
        return [.. fields.Where(field => !field.FieldType.IsPrimitive && field.FieldType != typeof(string) && !field.FieldType.IsPointer)];
    }
}
