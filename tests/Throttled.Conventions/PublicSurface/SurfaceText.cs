using System.Reflection;

namespace Throttled.Conventions.PublicSurface;

/// <summary>The public surface of an assembly as lines: each type with its members indented below it, both in ordinal order.</summary>
internal static class SurfaceText
{
    internal static IReadOnlyList<string> Of(Assembly assembly) =>
    [
        .. assembly.GetExportedTypes()
            .OrderBy(type => type.FullName, StringComparer.Ordinal)
            .SelectMany(type => MemberText.Of(type).Select(member => "    " + member).Prepend(Heading(type))),
    ];

    private static string Heading(Type type)
    {
        var parents = Parents(type).ToList();
        var below = parents.Count == 0 ? "" : " : " + string.Join(", ", parents);
        return $"{Kind(type)} {type.Namespace}.{TypeText.Of(type, declaration: true)}{below}";
    }

    private static string Kind(Type type) => type switch
    {
        { IsEnum: true } => "enum",
        { IsInterface: true } => "interface",
        { IsValueType: true } => (type.IsReadOnly() ? "readonly " : "") + (type.IsRecord() ? "record struct" : "struct"),
        _ when typeof(Delegate).IsAssignableFrom(type) => "delegate",
        { IsAbstract: true, IsSealed: true } => "static class",
        _ => (type.IsAbstract ? "abstract " : type.IsSealed ? "sealed " : "") + (type.IsRecord() ? "record" : "class"),
    };

    private static IEnumerable<string> Parents(Type type)
    {
        if (type.IsEnum)
            return type.GetEnumUnderlyingType() is var kind && kind == typeof(int) ? [] : [TypeText.Of(kind)];
        if (typeof(Delegate).IsAssignableFrom(type))
            return [];

        var inherited = type.GetInterfaces().SelectMany(i => i.GetInterfaces())
            .Concat(type.BaseType?.GetInterfaces() ?? []);
        var interfaces = type.GetInterfaces().Except(inherited)
            .Where(i => i.IsVisible && !(type.IsRecord() && i.IsEquatableOf(type)))
            .Select(i => TypeText.Of(i))
            .Order(StringComparer.Ordinal);
        var parent = type.BaseType;
        return parent is null || parent == typeof(object) || parent == typeof(ValueType)
            ? interfaces
            : interfaces.Prepend(TypeText.Of(parent));
    }
}
