using System.Reflection;
using System.Reflection.Emit;

namespace Throttled.Conventions.Floors;

/// <summary>
/// The uses between types of an assembly: in base types, interfaces, fields, signatures, locals and method bodies. Nested types, and types that
/// the compiler makes, count as the type around them. Instructions are read as in ECMA-335, partition III.
/// </summary>
internal static class TypeUses
{
    private const BindingFlags All = BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static | BindingFlags.Instance | BindingFlags.DeclaredOnly;

    private static readonly Dictionary<short, OpCode> Codes =
        typeof(OpCodes).GetFields(BindingFlags.Public | BindingFlags.Static).Select(field => (OpCode)field.GetValue(null)!).ToDictionary(code => code.Value);

    internal static IEnumerable<(Type User, Type Used)> Of(Assembly assembly) =>
        (from type in assembly.GetTypes()
         from used in Named(type).SelectMany(Parts)
         where used.Assembly == assembly
         let pair = (User: Outermost(type), Used: Outermost(used))
         where pair.User != pair.Used
         select pair).Distinct();

    internal static Type Outermost(Type type) => type.DeclaringType is { } outer ? Outermost(outer) : type;

    private static IEnumerable<Type> Named(Type type)
    {
        IEnumerable<Type> ofType = [.. type.BaseType is { } above ? [above] : Type.EmptyTypes, .. type.GetInterfaces()];
        var methods = type.GetMethods(All).Cast<MethodBase>().Concat(type.GetConstructors(All));
        return ofType.Concat(type.GetFields(All).Select(field => field.FieldType)).Concat(methods.SelectMany(OfMethod));
    }

    private static IEnumerable<Type> OfMethod(MethodBase method)
    {
        var signature = OfSignature(method);
        return method.GetMethodBody() is { } body
            ? signature.Concat(body.LocalVariables.Select(local => local.LocalType))
                .Concat(body.ExceptionHandlingClauses.Where(clause => clause.Flags == ExceptionHandlingClauseOptions.Clause).Select(clause => clause.CatchType!))
                .Concat(OfInstructions(method, body.GetILAsByteArray()!))
            : signature;
    }

    private static IEnumerable<Type> OfSignature(MethodBase method)
    {
        var types = method.GetParameters().Select(parameter => parameter.ParameterType);
        return method is MethodInfo { ReturnType: var result } ? types.Append(result) : types;
    }

    private static IEnumerable<Type> OfInstructions(MethodBase method, byte[] code)
    {
        for (var at = 0; at < code.Length;)
        {
            var first = code[at++];
            var instruction = Codes[first == 0xFE ? BitConverter.ToInt16([code[at++], first]) : first];
            if (instruction.OperandType is OperandType.InlineField or OperandType.InlineMethod or OperandType.InlineTok or OperandType.InlineType)
            {
                foreach (var type in OfMember(Resolve(method, BitConverter.ToInt32(code, at))))
                    yield return type;
            }
            at += instruction.OperandType == OperandType.InlineSwitch ? 4 + (4 * BitConverter.ToInt32(code, at)) : SizeOf(instruction.OperandType);
        }
    }

    private static MemberInfo Resolve(MethodBase method, int token) => method.Module.ResolveMember(
        token, method.DeclaringType!.GetGenericArguments(), method.IsGenericMethod ? method.GetGenericArguments() : null)!;

    private static IEnumerable<Type> OfMember(MemberInfo member)
    {
        IEnumerable<Type> itself = member is Type type ? [type] : [member.DeclaringType!];
        return member switch
        {
            FieldInfo field => itself.Append(field.FieldType),
            MethodInfo { IsGenericMethod: true } method => itself.Concat(method.GetGenericArguments()).Concat(OfSignature(method)),
            MethodBase method => itself.Concat(OfSignature(method)),
            _ => itself,
        };
    }

    private static int SizeOf(OperandType operand) => operand switch
    {
        OperandType.InlineNone => 0,
        OperandType.ShortInlineBrTarget or OperandType.ShortInlineI or OperandType.ShortInlineVar => 1,
        OperandType.InlineVar => 2,
        OperandType.InlineI8 or OperandType.InlineR => 8,
        _ => 4,
    };

    // A list of pages uses both types.
    private static IEnumerable<Type> Parts(Type type)
    {
        if (type.HasElementType)
            return Parts(type.GetElementType()!);
        if (type.IsGenericParameter)
            return type.GetGenericParameterConstraints().Where(each => !each.IsGenericType);
        return type.IsGenericType ? type.GetGenericArguments().SelectMany(Parts).Append(type.GetGenericTypeDefinition()) : [type];
    }
}
