using System.Buffers;
using System.Reflection;
using System.Reflection.Emit;
using System.Text;
using Throttled.Testing;
using Throttled.Tool.CommandLine;
using Throttled.Tool.Tail;

namespace Throttled.Tool.Tests.Tail;

/// <summary>The decoder in this assembly, which the tests give to the tool as a user does. It uses a dependency of this assembly.</summary>
public static class SampleDecoder
{
    public static string? Decode(byte[] payload, string manifest, int? serializerId) => manifest switch
    {
        "deposited" => $$"""{ "amount": {{payload[0]}}, "serializer": {{serializerId ?? -1}} }""",
        "named" => nameof(LoopbackPort) + typeof(LoopbackPort).Assembly.GetName().Name?.Length,
        "broken" => throw new InvalidOperationException("No such message"),
        _ => null,
    };

    // Other types, so it is not found.
    public static string Decode(string payload) => payload;
}

public sealed class DecoderTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-decoder-");

    private static string Sample => typeof(SampleDecoder).Assembly.Location;

    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public void A_decoded_payload_is_printed_as_json_or_text()
    {
        var decoder = PayloadDecoder.Load(Sample);

        Assert.EndsWith("  { \"amount\": 7, \"serializer\": 4 }\n", Text(decoder, Event("deposited")), StringComparison.Ordinal);
        Assert.EndsWith("\"payload\":{\"amount\":7,\"serializer\":4}}\n", Json(decoder, Event("deposited")), StringComparison.Ordinal);
        Assert.EndsWith($"  LoopbackPort{"Throttled.Testing".Length}\n", Text(decoder, Event("named")), StringComparison.Ordinal);
    }

    [Fact]
    public void A_payload_that_the_decoder_does_not_know_is_printed_as_without_it()
    {
        var decoder = PayloadDecoder.Load(Sample);

        Assert.Equal(Text(null, Event("other")), Text(decoder, Event("other")));
        Assert.Equal(Json(null, Event("other")), Json(decoder, Event("other")));
    }

    [Fact]
    public void A_decoder_that_fails_is_named_with_its_event_and_no_part_of_the_line_is_printed()
    {
        var line = new ArrayBufferWriter<byte>();
        var error = Assert.Throws<CommandException>(() => new JsonFormat(PayloadDecoder.Load(Sample)).Write(Event("broken"), line));

        Assert.Equal(
            $"--decoder is '{Sample}'; {typeof(SampleDecoder).FullName}.Decode failed for event 3 of 'account-1' with the manifest 'broken': InvalidOperationException: No such message. "
            + "It must return null for a payload that it does not know. Correct it, or leave --decoder out.",
            error.Message);
        Assert.Equal(0, line.WrittenCount);
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
        await RefusedAsync(
            typeof(JournalReader).Assembly.Location, "it has no 'public static string? Decode(byte[] payload, string manifest, int? serializerId)' in a public class. Add it, or give another assembly.");
        await RefusedAsync(Build("One", "Two"), "it has several methods 'Decode': One.Decode, Two.Decode; it must have one. Make the other classes internal.");
        Assert.Equal("from the only one", PayloadDecoder.Load(Build("Only")).Decode(Event("any")));
    }

    private static async Task RefusedAsync(string file, string reason)
    {
        string[] journal = ["--database", "sqlite", "--connection", "Data Source=journal.db", "--all"];
        var (code, _, errors) = await ToolOutput.OfAsync(["tail", .. journal, "--decoder", file]);
        Assert.Equal(2, code);
        Assert.Contains(reason, errors, StringComparison.Ordinal);
        Assert.StartsWith($"error: --decoder is '{file}'; ", errors, StringComparison.Ordinal);
    }

    // An assembly with a decoder in each class.
    private string Build(params string[] classes)
    {
        var assembly = new PersistedAssemblyBuilder(new($"Decoders{classes.Length}"), typeof(object).Assembly);
        var module = assembly.DefineDynamicModule("Decoders");
        foreach (var name in classes)
        {
            var type = module.DefineType(name, TypeAttributes.Public | TypeAttributes.Abstract | TypeAttributes.Sealed);
            var body = type.DefineMethod("Decode", MethodAttributes.Public | MethodAttributes.Static, typeof(string), [typeof(byte[]), typeof(string), typeof(int?)]).GetILGenerator();
            body.Emit(OpCodes.Ldstr, $"from the {name.ToLowerInvariant()} one");
            body.Emit(OpCodes.Ret);
            type.CreateType();
        }
        var file = Path.Combine(_directory.FullName, $"decoders-{classes.Length}.dll");
        assembly.Save(file);
        return file;
    }

    private static JournalEvent Event(string manifest) =>
        new() { Ordering = 12, PersistenceId = "account-1", SequenceNumber = 3, Payload = new byte[] { 7 }, Manifest = manifest, SerializerId = 4 };

    private static string Text(PayloadDecoder? decoder, JournalEvent stored) => Written(new TextFormat(TimeZoneInfo.Utc, () => null, decoder), stored);

    private static string Json(PayloadDecoder? decoder, JournalEvent stored) => Written(new JsonFormat(decoder), stored);

    private static string Written(ILineFormat format, JournalEvent stored)
    {
        var line = new ArrayBufferWriter<byte>();
        format.Write(stored, line);
        return Encoding.UTF8.GetString(line.WrittenSpan);
    }
}
