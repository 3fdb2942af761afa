using System.Reflection;
using System.Runtime.CompilerServices;

namespace Throttled.Conventions.PublicSurface;

/// <summary>Traits of a type for which reflection has no property.</summary>
internal static class TypeTraits
{
    private const BindingFlags Hidden = BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    internal static bool IsRecord(this Type type) =>
        type.GetMethod("<Clone>$") is not null
        || (type.IsValueType && type.GetMethod("PrintMembers", Hidden)?.IsSynthesised() == true);

    internal static bool IsReadOnly(this Type type) => type.IsDefined(typeof(IsReadOnlyAttribute), inherit: false);

    internal static bool IsSynthesised(this MemberInfo member) =>
        member.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false);

    internal static bool IsEquatableOf(this Type candidate, Type type) =>
        candidate.IsGenericType
        && candidate.GetGenericTypeDefinition() == typeof(IEquatable<>)
        && candidate.GenericTypeArguments[0] == type;

    /// <summary>Whether code outside the assembly can call it: public, or protected on a type that can be derived from.</summary>
    internal static bool IsReachable(this MethodBase? method) =>
        method is not null
        && (method.IsPublic || (IsProtected(method) && method.DeclaringType is { IsSealed: false }));

    internal static bool IsProtected(this MethodBase method) => method.IsFamily || method.IsFamilyOrAssembly;
}
