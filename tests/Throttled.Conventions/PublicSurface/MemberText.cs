using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Throttled.Conventions.PublicSurface;

/// <summary>The reachable members of a type, one line each, without the members that the compiler adds to a record.</summary>
internal static class MemberText
{
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Static
        | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    internal static IEnumerable<string> Of(Type type)
    {
        if (type.IsEnum)
            return Enum.GetNames(type).Select(name => $"{name} = {EnumValue(type, name)}");
        if (typeof(Delegate).IsAssignableFrom(type))
            return [Method(type.GetMethod("Invoke")!)];

        return type.GetConstructors(Declared).Where(c => !c.IsStatic && c.IsReachable()).Select(Constructor)
            .Concat(type.GetFields(Declared).Where(f => f.IsPublic).Select(Field))
            .Concat(type.GetProperties(Declared).Where(IsReachable).Select(Property))
            .Concat(type.GetEvents(Declared).Where(e => e.AddMethod.IsReachable()).Select(Event))
            .Concat(type.GetMethods(Declared).Where(IsOwn).Select(Method))
            .Order(StringComparer.Ordinal);
    }

    private static bool IsOwn(MethodInfo method) =>
        method.IsReachable() && !method.IsSynthesised()
        && (!method.IsSpecialName || method.Name.StartsWith("op_", StringComparison.Ordinal));

    private static bool IsReachable(PropertyInfo property) =>
        (property.GetMethod.IsReachable() || property.SetMethod.IsReachable())
        && property.Name != "EqualityContract";

    private static string EnumValue(Type type, string name) =>
        Convert.ToInt64(Enum.Parse(type, name), CultureInfo.InvariantCulture).ToString(CultureInfo.InvariantCulture);

    private static string Constructor(ConstructorInfo constructor) =>
        $"{Modifiers(constructor)}.ctor({Parameters(constructor)})";

    private static string Field(FieldInfo field)
    {
        var modifier = field.IsLiteral ? "const " : (field.IsStatic ? "static " : "") + (field.IsInitOnly ? "readonly " : "");
        var value = field.IsLiteral ? " = " + Literal(field.GetRawConstantValue()) : "";
        return $"{modifier}{field.Name}: {TypeText.Of(field.FieldType, new NullabilityInfoContext().Create(field))}{value}";
    }

    private static string Event(EventInfo e) => $"{Modifiers(e.AddMethod!)}event {e.Name}: {TypeText.Of(e.EventHandlerType!)}";

    private static string Property(PropertyInfo property)
    {
        var accessor = property.GetMethod ?? property.SetMethod!;
        var index = property.GetIndexParameters();
        var name = index.Length == 0 ? property.Name : $"this[{string.Join(", ", index.Select(Parameter))}]";
        var required = property.IsDefined(typeof(RequiredMemberAttribute)) ? "required " : "";
        var type = TypeText.Of(property.PropertyType, new NullabilityInfoContext().Create(property));
        return $"{Modifiers(accessor)}{required}{name}: {type} {{ {Accessors(property)} }}";
    }

    private static string Accessors(PropertyInfo property)
    {
        var get = property.GetMethod.IsReachable() ? "get; " : "";
        if (!property.SetMethod.IsReachable())
            return get.TrimEnd();
        var isInit = property.SetMethod!.ReturnParameter.GetRequiredCustomModifiers().Contains(typeof(IsExternalInit));
        return get + (isInit ? "init;" : "set;");
    }

    private static string Method(MethodInfo method)
    {
        var generic = method.IsGenericMethod
            ? $"<{string.Join(", ", method.GetGenericArguments().Select(TypeText.GenericParameter))}>"
            : "";
        var extension = method.IsDefined(typeof(ExtensionAttribute)) ? "this " : "";
        var result = TypeText.Of(method.ReturnType, new NullabilityInfoContext().Create(method.ReturnParameter));
        return $"{Modifiers(method)}{method.Name}{generic}({extension}{Parameters(method)}): {result}";
    }

    private static string Modifiers(MethodBase method)
    {
        var access = method.IsProtected() ? "protected " : "";
        if (method.IsStatic)
            return access + "static ";
        if (method is not MethodInfo info || method.DeclaringType!.IsInterface)
            return access;
        if (info.GetBaseDefinition() != info)
            return access + (info.IsAbstract ? "abstract override " : info.IsFinal ? "sealed override " : "override ");
        return access + (info.IsAbstract ? "abstract " : info is { IsVirtual: true, IsFinal: false } ? "virtual " : "");
    }

    private static string Parameters(MethodBase method) => string.Join(", ", method.GetParameters().Select(Parameter));

    private static string Parameter(ParameterInfo parameter)
    {
        var way = !parameter.ParameterType.IsByRef ? "" : parameter.IsOut ? "out " : parameter.IsIn ? "in " : "ref ";
        var many = parameter.IsDefined(typeof(ParamArrayAttribute)) ? "params " : "";
        var type = TypeText.Of(parameter.ParameterType, new NullabilityInfoContext().Create(parameter));
        var value = parameter.HasDefaultValue ? " = " + Literal(parameter.RawDefaultValue) : "";
        return $"{many}{way}{type} {parameter.Name}{value}";
    }

    private static string Literal(object? value) => value switch
    {
        null => "default",
        string text => $"\"{text}\"",
        bool flag => flag ? "true" : "false",
        _ => Convert.ToString(value, CultureInfo.InvariantCulture)!,
    };
}
