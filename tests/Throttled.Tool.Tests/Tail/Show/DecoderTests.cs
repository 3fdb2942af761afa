using System.Buffers;
using System.IO.Compression;
using System.Reflection;
using System.Reflection.Emit;
using System.Text;
using Throttled.Tool.CommandLine;
using Throttled.Tool.Tail;

namespace Throttled.Tool.Tests.Tail;

/// <summary>The decoder of this assembly, and decoders that the tests build.</summary>
public sealed class DecoderTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-decoder-");

    private static readonly Type[] Decoder = [typeof(byte[]), typeof(string), typeof(int?)];

    private static string Sample => typeof(ShopEvents).Assembly.Location;

    public void Dispose() => _directory.Delete(recursive: true);

    [Theory]
    [InlineData("{ \"amount\": 7 }", "{ \"amount\": 7 }", "{\"amount\":7}")]
    [InlineData("paid\ttwice", "paid\\ttwice", "\"paid\\ttwice\"")]
    [InlineData("", "", "\"\"")]
    public void A_decoded_payload_is_printed_as_json_or_text(string decoded, string text, string json)
    {
        var (decoder, stored) = (PayloadDecoder.Load(Sample), Event("placed+gzip", Zipped(decoded)));

        Assert.EndsWith($"  -  {text}\n", Text(decoder, stored), StringComparison.Ordinal);
        Assert.EndsWith($"\"payload\":{json}}}\n", Json(decoder, stored), StringComparison.Ordinal);
    }

    [Fact]
    public void A_payload_that_the_decoder_does_not_know_is_printed_as_without_it()
    {
        var (decoder, stored) = (PayloadDecoder.Load(Sample), Event("other", Zipped("x")));

        Assert.Equal(Text(null, stored), Text(decoder, stored));
        Assert.Equal(Json(null, stored), Json(decoder, stored));
    }

    [Fact]
    public void A_decoder_that_fails_is_named_with_its_event_and_no_part_of_the_line_is_printed()
    {
        var line = new ArrayBufferWriter<byte>();
        var error = Assert.Throws<CommandException>(() => new JsonFormat(PayloadDecoder.Load(Sample)).Write(Event("broken+gzip", Encoding.UTF8.GetBytes("not compressed")), line));

        Assert.StartsWith(
            $"--decoder is '{Sample}'; {typeof(ShopEvents).FullName}.Decode failed for event 3 of 'account-1' with the manifest 'broken+gzip': InvalidDataException: ", error.Message, StringComparison.Ordinal);
        Assert.EndsWith("It must return null for a payload that it does not know. Correct it, or leave --decoder out.", error.Message, StringComparison.Ordinal);
        Assert.Equal(0, line.WrittenCount);
    }

    [Fact]
    public void A_dependency_is_the_one_beside_the_assembly_and_if_it_is_missing_the_error_says_so()
    {
        Assert.Equal("from Words", PayloadDecoder.Load(Build("Only")).Decode(Event("any", [7])));
        var alone = Build("Alone");
        File.Delete(Path.Combine(_directory.FullName, "Words.dll"));

        var error = Assert.Throws<CommandException>(() => PayloadDecoder.Load(alone).Decode(Event("any", [7])));
        Assert.Contains("Alone.Decode failed for event 3 of 'account-1' with the manifest 'any': FileNotFoundException: Could not load file or assembly 'Words", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_generic_method_is_no_decoder()
    {
        await RefusedAsync(BuildGeneric("OfMethod", genericType: false), "it has no 'public static string? Decode");
        await RefusedAsync(BuildGeneric("OfType", genericType: true), "it has no 'public static string? Decode");
        Assert.Equal("plain", PayloadDecoder.Load(BuildGeneric("Overloaded", genericType: false, "plain")).Decode(Event("any", [7])));
    }

    [Fact]
    public void The_decoder_gets_its_own_assembly_load_context()
    {
        PayloadDecoder.Load(Sample);

        Assert.Contains(System.Runtime.Loader.AssemblyLoadContext.All, context => context.Name == "--decoder" && context.Assemblies.Any(each => each.Location == Sample));
    }

    [Fact]
    public async Task What_is_no_decoder_is_refused_with_a_remedy()
    {
        await RefusedAsync("not-there.dll", $"there is no file '{Path.GetFullPath("not-there.dll")}'. Correct the path.");
        await RefusedAsync("", "--decoder is ''; it must not be empty.");
        var text = Path.Combine(_directory.FullName, "text.dll");
        await File.WriteAllTextAsync(text, "not an assembly");
        await RefusedAsync(text, "it cannot be loaded: ");
        var unresolved = Build("Unresolved");
        await File.WriteAllTextAsync(Path.ChangeExtension(unresolved, ".deps.json"), "not JSON");
        await RefusedAsync(unresolved, "it cannot be loaded: ");
        await RefusedAsync(
            typeof(JournalReader).Assembly.Location, "it has no 'public static string? Decode(byte[] payload, string manifest, int? serializerId)' in a public class. Add it, or give another assembly.");
        await RefusedAsync(Build("One", "Two"), "it has several methods 'Decode': One.Decode, Two.Decode; it must have one. Make the other classes internal.");
    }

    [Fact]
    public async Task Persistence_ids_have_no_payloads_to_decode()
    {
        var (code, _, errors) = await ToolOutput.OfAsync("tail", "--database", "sqlite", "--connection", "Data Source=journal.db", "--ids", "--decoder", Sample);
        Assert.Equal(2, code);
        Assert.Contains("and --ids prints no payloads. Leave --decoder out.", errors, StringComparison.Ordinal);
    }

    private static async Task RefusedAsync(string file, string reason)
    {
        string[] journal = ["--database", "sqlite", "--connection", "Data Source=journal.db", "--all"];
        var (code, _, errors) = await ToolOutput.OfAsync(["tail", .. journal, "--decoder", file]);
        Assert.Equal(2, code);
        Assert.Contains(reason, errors, StringComparison.Ordinal);
        Assert.StartsWith($"error: --decoder is '{file}'; ", errors, StringComparison.Ordinal);
    }

    // An assembly with a decoder in each class, which uses another assembly beside it.
    private string Build(params string[] classes)
    {
        var words = Save("Words", module => [Method(module, "Words", "Get", [], body => body.Emit(OpCodes.Ldstr, "from Words"))]).Single();
        var name = string.Concat(classes);
        Save(name, module => [.. classes.Select(each => Method(module, each, "Decode", Decoder, body => body.Emit(OpCodes.Call, words)))]);
        return Path.Combine(_directory.FullName, $"{name}.dll");
    }

    private IReadOnlyList<MethodInfo> Save(string name, Func<ModuleBuilder, IReadOnlyList<MethodInfo>> define)
    {
        var assembly = new PersistedAssemblyBuilder(new(name), typeof(object).Assembly);
        var methods = define(assembly.DefineDynamicModule(name));
        assembly.Save(Path.Combine(_directory.FullName, $"{name}.dll"));
        return methods;
    }

    // A generic decoder, and beside it one that is not generic, if its text is given.
    private string BuildGeneric(string name, bool genericType, string? plain = null)
    {
        Save(name, module =>
        {
            var declaring = Class(module, name);
            if (genericType)
                declaring.DefineGenericParameters("T");
            var generic = Method(declaring, "Decode", Decoder, body => body.Emit(OpCodes.Ldstr, "generic"));
            if (!genericType)
                generic.DefineGenericParameters("T");
            if (plain is not null)
                Method(declaring, "Decode", Decoder, body => body.Emit(OpCodes.Ldstr, plain));
            declaring.CreateType();
            return [generic];
        });
        return Path.Combine(_directory.FullName, $"{name}.dll");
    }

    private static TypeBuilder Class(ModuleBuilder module, string name) => module.DefineType(name, TypeAttributes.Public | TypeAttributes.Abstract | TypeAttributes.Sealed);

    private static MethodInfo Method(ModuleBuilder module, string type, string name, Type[] parameters, Action<ILGenerator> write)
    {
        var declaring = Class(module, type);
        var method = Method(declaring, name, parameters, write);
        declaring.CreateType();
        return method;
    }

    private static MethodBuilder Method(TypeBuilder declaring, string name, Type[] parameters, Action<ILGenerator> write)
    {
        var method = declaring.DefineMethod(name, MethodAttributes.Public | MethodAttributes.Static, typeof(string), parameters);
        write(method.GetILGenerator());
        method.GetILGenerator().Emit(OpCodes.Ret);
        return method;
    }

    private static byte[] Zipped(string text)
    {
        using var zipped = new MemoryStream();
        using (var zip = new GZipStream(zipped, CompressionMode.Compress))
            zip.Write(Encoding.UTF8.GetBytes(text));
        return zipped.ToArray();
    }

    private static JournalEvent Event(string manifest, byte[] payload) =>
        new() { Ordering = 12, PersistenceId = "account-1", SequenceNumber = 3, Payload = payload, Manifest = manifest, SerializerId = 4 };

    private static string Text(PayloadDecoder? decoder, JournalEvent stored) => Written(new TextFormat(TimeZoneInfo.Utc, () => null, decoder), stored);

    private static string Json(PayloadDecoder? decoder, JournalEvent stored) => Written(new JsonFormat(decoder), stored);

    private static string Written(ILineFormat format, JournalEvent stored)
    {
        var line = new ArrayBufferWriter<byte>();
        format.Write(stored, line);
        return Encoding.UTF8.GetString(line.WrittenSpan);
    }
}
