using System.Reflection;

namespace Throttled.Conventions.PublicSurface;

/// <summary>A type as in source code: with keywords and nullable marks, without namespaces.</summary>
internal static class TypeText
{
    private static readonly Dictionary<Type, string> Keywords = new()
    {
        [typeof(bool)] = "bool",
        [typeof(byte)] = "byte",
        [typeof(char)] = "char",
        [typeof(decimal)] = "decimal",
        [typeof(double)] = "double",
        [typeof(float)] = "float",
        [typeof(int)] = "int",
        [typeof(long)] = "long",
        [typeof(object)] = "object",
        [typeof(short)] = "short",
        [typeof(string)] = "string",
        [typeof(uint)] = "uint",
        [typeof(ulong)] = "ulong",
        [typeof(ushort)] = "ushort",
        [typeof(void)] = "void",
    };

    /// <param name="type">The type.</param>
    /// <param name="nullability">Its nullable marks; null if they are unknown.</param>
    /// <param name="declaration">Whether generic parameters are shown with the kinds of their constraints.</param>
    internal static string Of(Type type, NullabilityInfo? nullability = null, bool declaration = false)
    {
        if (type.IsByRef)
            return Of(type.GetElementType()!, nullability, declaration);
        if (Nullable.GetUnderlyingType(type) is { } inner)
            return Of(inner, null, declaration) + "?";

        var mark = !type.IsValueType && nullability?.ReadState == NullabilityState.Nullable ? "?" : "";
        if (type.IsArray)
            return $"{Of(type.GetElementType()!, nullability?.ElementType, declaration)}[]{mark}";
        return Named(type, nullability, declaration) + mark;
    }

    private static string Named(Type type, NullabilityInfo? nullability, bool declaration)
    {
        if (Keywords.TryGetValue(type, out var keyword))
            return keyword;
        if (type.IsGenericParameter)
            return type.Name;

        var owner = type.DeclaringType is { } outer ? Of(outer) + "." : "";
        var tick = type.Name.IndexOf('`', StringComparison.Ordinal);
        return tick < 0
            ? owner + type.Name
            : $"{owner}{type.Name[..tick]}<{Arguments(type, nullability, declaration)}>";
    }

    private static string Arguments(Type type, NullabilityInfo? nullability, bool declaration) =>
        string.Join(", ", type.GetGenericArguments().Select((argument, index) =>
            declaration && argument.IsGenericParameter
                ? GenericParameter(argument)
                : Of(argument, nullability?.GenericTypeArguments.ElementAtOrDefault(index))));

    /// <summary>A generic parameter with its variance and constraints, for example <c>out T : struct</c>.</summary>
    internal static string GenericParameter(Type parameter)
    {
        var attributes = parameter.GenericParameterAttributes;
        var variance = attributes.HasFlag(GenericParameterAttributes.Covariant) ? "out "
            : attributes.HasFlag(GenericParameterAttributes.Contravariant) ? "in " : "";
        var constraints = Constraints(parameter, attributes).ToList();
        return variance + parameter.Name + (constraints.Count == 0 ? "" : " : " + string.Join(" & ", constraints));
    }

    private static IEnumerable<string> Constraints(Type parameter, GenericParameterAttributes attributes)
    {
        var isStruct = attributes.HasFlag(GenericParameterAttributes.NotNullableValueTypeConstraint);
        if (isStruct)
            yield return "struct";
        if (attributes.HasFlag(GenericParameterAttributes.ReferenceTypeConstraint))
            yield return "class";
        foreach (var constraint in parameter.GetGenericParameterConstraints().Where(c => c != typeof(ValueType)))
            yield return Of(constraint);
        if (!isStruct && attributes.HasFlag(GenericParameterAttributes.DefaultConstructorConstraint))
            yield return "new()";
    }
}
