using System.CommandLine;
using System.Reflection;
using System.Runtime.Loader;
using Throttled.Tool.CommandLine;

namespace Throttled.Tool.Tail;

/// <summary>
/// The user's own code that turns a payload into text or JSON. It is a public static method of a public class, found by its name and its types, as
/// .NET's startup hooks are. So an assembly needs no reference to this tool, and works with each version of it.
/// </summary>
internal sealed class PayloadDecoder
{
    private const string Signature = "public static string? Decode(byte[] payload, string manifest, int? serializerId)";

    internal static readonly Option<string?> Option = new("--decoder")
    {
        Description = $"Your assembly with '{Signature}' in a public class. It returns text or JSON, or null for a payload that it does not know",
        HelpName = "FILE",
    };

    private readonly string _file;
    private readonly Func<byte[], string, int?, string?> _decode;

    private PayloadDecoder(string file, MethodInfo method) => (_file, _decode) = (file, method.CreateDelegate<Func<byte[], string, int?, string?>>());

    /// <returns>The decoder of the option; null if the option is not given.</returns>
    /// <exception cref="CommandException">The file cannot be loaded, or does not have exactly one such method.</exception>
    internal static PayloadDecoder? Read(ParseResult parsed) => OptionText.Named(parsed, Option) is { } file ? Load(file) : null;

    internal static PayloadDecoder Load(string file)
    {
        var found = Methods(file);
        return found.Count switch
        {
            1 => new(file, found[0]),
            0 => throw Wrong(file, $"it has no '{Signature}' in a public class. Add it, or give another assembly."),
            _ => throw Wrong(file, $"it has several methods 'Decode': {string.Join(", ", found.Select(Name))}; it must have one. Make the other classes internal."),
        };
    }

    /// <returns>Null if the decoder does not know the payload, or if the payload was not read.</returns>
    /// <exception cref="CommandException">The decoder failed.</exception>
    internal string? Decode(JournalEvent stored)
    {
        if (stored.OmittedPayloadBytes > 0)
            return null;
        try
        {
            return _decode(stored.Payload.ToArray(), stored.Manifest, stored.SerializerId);
        }
        catch (Exception error)
        {
            throw Wrong(
                _file, $"{Name(_decode.Method)} failed for event {stored.SequenceNumber} of '{stored.PersistenceId}' with the manifest '{stored.Manifest}': "
                    + $"{error.GetType().Name}: {Sentence.Of(error.Message)} It must return null for a payload that it does not know. Correct it, or leave --decoder out.",
                error);
        }
    }

    private static List<MethodInfo> Methods(string file)
    {
        var path = Path.GetFullPath(file);
        if (!File.Exists(path))
            throw Wrong(file, $"there is no file '{path}'. Correct the path.");
        try
        {
            return [.. new DecoderContext(path).LoadFromAssemblyPath(path).GetExportedTypes().SelectMany(MethodsOf)];
        }
        // The resolver throws InvalidOperationException for a .deps.json that it cannot read.
        catch (Exception error) when (error is BadImageFormatException or IOException or TypeLoadException or InvalidOperationException or UnauthorizedAccessException)
        {
            throw Wrong(file, $"it cannot be loaded: {Sentence.Of(error.Message)} Give a .NET assembly in one folder with its dependencies, as 'dotnet publish' writes it.", error);
        }
    }

    private static IEnumerable<MethodInfo> MethodsOf(Type type) =>
        type.GetMember("Decode", MemberTypes.Method, BindingFlags.Public | BindingFlags.Static).Cast<MethodInfo>().Where(HasSignature);

    // A generic method, or one of a generic class, cannot be called without type arguments.
    private static bool HasSignature(MethodInfo method) =>
        !method.ContainsGenericParameters
        && method.ReturnType == typeof(string)
        && method.GetParameters().Select(each => each.ParameterType).SequenceEqual([typeof(byte[]), typeof(string), typeof(int?)]);

    private static string Name(MethodInfo method) => $"{method.DeclaringType?.FullName}.{method.Name}";

    private static CommandException Wrong(string file, string what, Exception? error = null) => new($"{Option.Name} is '{file}'; {what}", error);

    // The assembly gets its own versions of the dependencies in its folder. It shares the others with the tool.
    private sealed class DecoderContext(string path) : AssemblyLoadContext(Option.Name)
    {
        private readonly AssemblyDependencyResolver _resolver = new(path);

        protected override Assembly? Load(AssemblyName assemblyName) =>
            _resolver.ResolveAssemblyToPath(assemblyName) is { } file ? LoadFromAssemblyPath(file) : null;

        protected override nint LoadUnmanagedDll(string unmanagedDllName) =>
            _resolver.ResolveUnmanagedDllToPath(unmanagedDllName) is { } file ? LoadUnmanagedDllFromPath(file) : 0;
    }
}
