using Throttled.Tool.CommandLine;
using Throttled.Tool.Tail;

namespace Throttled.Tool.Tests.Tail;

public sealed class ResumeFileTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("tail-tests-");

    private string Path => System.IO.Path.Combine(_directory.FullName, "position");

    public void Dispose() => _directory.Delete(recursive: true);

    [Fact]
    public void A_file_that_is_not_there_has_no_position() => Assert.Null(Of("--all").Read());

    [Fact]
    public void An_empty_file_has_no_position()
    {
        File.WriteAllText(Path, "");

        Assert.Null(Of("--all").Read());
    }

    [Fact]
    public void A_position_in_another_journal_is_refused_with_both_names()
    {
        new ResumeFile(Path, "there", "--all").Write(3);

        Assert.Contains(
            "holds a position in the journal 'there', but this journal is 'here'",
            Assert.Throws<CommandException>(() => Of("--all").Read()).Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void A_position_is_read_as_it_was_written()
    {
        Of("--tag ö\"\n").Write(1);
        Of("--tag ö\"\n").Write(42);

        Assert.Equal(42, Of("--tag ö\"\n").Read());
        Assert.Single(_directory.GetFiles());
    }

    [Theory]
    [InlineData("\n")]
    [InlineData("42")]
    [InlineData("null")]
    [InlineData("{}")]
    [InlineData("""{"journal":"here","query":"--all"}""")]
    [InlineData("""{"journal":"here","query":null,"after":3}""")]
    [InlineData("""{"query":"--all","after":3}""")]
    [InlineData("""{"journal":"there","query":"--all","after":3}""")]
    [InlineData("""{"journal":"here","query":"--all","after":-1}""")]
    [InlineData("""{"journal":"here","query":"--all","after":3""")]
    [InlineData("""{"journal":"here","query":"--tag blue","after":3}""")]
    public void A_file_that_holds_something_else_is_refused_and_left_alone(string text)
    {
        File.WriteAllText(Path, text);

        var error = Assert.Throws<CommandException>(() => Of("--all").Read());
        Assert.StartsWith($"--resume is '{Path}'; it ", error.Message, StringComparison.Ordinal);
        Assert.EndsWith(". It was not changed. Give another file, or delete it to begin again.", error.Message, StringComparison.Ordinal);
        Assert.Equal(text, File.ReadAllText(Path));
    }

    [Fact]
    public void A_file_that_is_long_is_no_position()
    {
        File.WriteAllText(Path, $$"""{"journal":"here","query":"--all","after":3}{{new string(' ', 100_000)}}""");

        Assert.Throws<CommandException>(() => Of("--all").Read());
    }

    [Fact]
    public void A_link_stays_a_link()
    {
        var version = System.IO.Path.Combine(_directory.FullName, "target");
        File.WriteAllText(version, """{"journal":"here","query":"--all","after":3}""");
        File.CreateSymbolicLink(Path, version);

        Of("--all").Write(4);

        Assert.NotNull(new FileInfo(Path).LinkTarget);
        Assert.Equal(4, Of("--all").Read());
    }

    [Fact]
    public void A_file_that_cannot_be_written_is_refused_before_anything_is_printed()
    {
        Of("--all").Probe();
        Assert.Empty(_directory.GetFiles());

        var lost = new ResumeFile(System.IO.Path.Combine(_directory.FullName, "none", "position"), "here", "--all");
        Assert.Contains("it cannot be written", Assert.Throws<CommandException>(lost.Probe).Message, StringComparison.Ordinal);
        Assert.Throws<CommandException>(new ResumeFile(_directory.FullName, "here", "--all").Probe);
    }

    private ResumeFile Of(string query) => new(Path, "here", query);
}
