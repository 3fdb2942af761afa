using Akka.Configuration;
using Akka.Persistence.Query.Throttled.Settings;

namespace Akka.Persistence.Query.Throttled.Tests.Settings;

/// <summary>The section of a sharded write journal lists its shards. A wrong section is refused with its own keys.</summary>
public sealed class WriteShardsTests
{
    private const string Path = WriteShards.Identifier;
    private const string Two = "[\"journals.a\", \"journals.b\"]";
    private const string Paths =
        "the paths of write plugins, one for each shard, as in [\"akka.persistence.journal.a\", \"akka.persistence.journal.b\"]";
    private const string Ranges = "a range of slices for each shard, as in [\"0-511\", \"512-1023\"]. Leave it out to divide them evenly";

    [Fact]
    public void Slices_that_are_left_out_are_divided_evenly()
    {
        var shards = Read($"shards = {Two}");
        Assert.Equal(Path, shards.Path);
        Assert.Equal(ShardMap.Even(2), shards.Map);
        Assert.Equal(["journals.a", "journals.b"], shards.Plugins);
    }

    [Fact]
    public void Slices_belong_to_the_shard_at_the_same_index() =>
        Assert.Equal("512-1023,0-511", Read($"shards = {Two}, slices = [\"512-1023\", 0-511]").Map.ToString());

    [Fact]
    public void A_sharded_journal_may_have_one_shard() => Assert.Equal(ShardMap.Even(1), Read("shards = [journals.a]").Map);

    [Theory]
    [InlineData("", $"'{Path}.shards' is missing; it must be {Paths}.")]
    [InlineData("shards = []", $"'{Path}.shards' is an empty list; it must be {Paths}.")]
    [InlineData("shards = journals.a", $"'{Path}.shards' is \"journals.a\"; it must be {Paths}.")]
    [InlineData("shards { a = 1 }", $"'{Path}.shards' is a section; it must be {Paths}.")]
    [InlineData("shards = [{ a = 1 }]", $"'{Path}.shards' is a list; it must be {Paths}.")]
    [InlineData("shards = [journals.a, journals.c]", $"'{Path}.shards' has \"journals.c\", which is not a section of the configuration. Configure a write plugin there, or correct the path.")]
    [InlineData("shards = [journals.a.class]", $"'{Path}.shards' has \"journals.a.class\", which is not a section of the configuration. Configure a write plugin there, or correct the path.")]
    [InlineData("shards = [journals.a, \"\"]", $"'{Path}.shards' has \"\", which is not a section of the configuration. Configure a write plugin there, or correct the path.")]
    [InlineData("shards = [journals.a, journals.a]", $"'{Path}.shards' has \"journals.a\", which is listed twice. Each shard is a journal of its own: give each a section with its own database.")]
    [InlineData($"shards = [journals.a, {Path}]", $"'{Path}.shards' has \"{Path}\", which is a sharded journal itself. Name the write plugins that it is made of.")]
    [InlineData("shards = [journals.nested]", $"'{Path}.shards' has \"journals.nested\", which is a sharded journal itself. Name the write plugins that it is made of.")]
    [InlineData($"shards = {Two}, slices = []", $"'{Path}.slices' is an empty list; it must be {Ranges}.")]
    [InlineData($"shards = {Two}, slices = \"0-511,512-1023\"", $"'{Path}.slices' is \"0-511,512-1023\"; it must be {Ranges}.")]
    [InlineData($"shards = {Two}, slices = [\"0-1023\"]", $"'{Path}.slices' has 1 ranges and '{Path}.shards' 2 shards; there must be one range for each shard. Leave 'slices' out to divide them evenly.")]
    [InlineData($"shards = {Two}, slices = [\"0-99,200-1023\", \"100-199\"]", $"'{Path}.slices': The slices of a shard are \"0-99,200-1023\"; they must be one range, like 0-255.")]
    [InlineData($"shards = {Two}, slices = [\"0-99\", \"101-1023\"]", $"'{Path}.slices': The slices of the shards are \"0-99,101-1023\": slice 100 is in no shard. Each slice from 0 to 1023 must be in exactly one.")]
    [InlineData($"shards = {Two}, slices = [\"0-100\", \"100-1023\"]", $"'{Path}.slices': The slices of the shards are \"0-100,100-1023\": slice 100 is in the shards 0 and 1. Each slice from 0 to 1023 must be in exactly one.")]
    [InlineData($"shards = {Two}, slices = [\"0-511\", \"512-1024\"]", $"'{Path}.slices': The slices of a shard are \"512-1024\"; they must be a range from 0 to 1023, like 0-255.")]
    [InlineData($"shards = {Two}, slices = [\"0-511\", \"1023-512\"]", $"'{Path}.slices': The slices of a shard are \"1023-512\"; the first must not be above the last.")]
    public void A_wrong_setting_is_refused_with_its_name(string section, string message) =>
        Assert.Equal(message, Assert.Throws<ConfigurationException>(() => Read(section)).Message);

    [Theory]
    [InlineData("event-adapters { tagger = \"T, T\" }", "event-adapters")]
    [InlineData("event-adapters {}\nevent-adapter-bindings { \"System.String\" = tagger }", "event-adapter-bindings")]
    public void Event_adapters_without_effect_are_refused(string adapters, string key) => Assert.StartsWith(
        $"'{Path}.{key}' has entries that not every shard's section has; it must be left out, because the write plugin of each shard adapts its own events.",
        Assert.Throws<ConfigurationException>(() => Read($"shards = {Two}, {adapters}")).Message,
        StringComparison.Ordinal);

    [Theory]
    [InlineData("event-adapters.tagger = \"T, T\"", true)]
    [InlineData("event-adapters { tagger = \"T, T\", other = \"O, O\" }", true)]
    [InlineData("event-adapters.tagger = \"O, O\"", false)]
    public void Event_adapters_that_every_shard_has_too_are_allowed(string ofShard, bool isTaken)
    {
        var all = ConfigurationFactory.ParseString(
            $"a {{ class = x, event-adapters.tagger = \"T, T\" }}\nb {{ class = x, {ofShard} }}\n{Path} {{ shards = [a, b], event-adapters.tagger = \"T, T\" }}");
        if (isTaken)
            Assert.Equal(["a", "b"], WriteShards.Read(all, Path).Plugins);
        else
            Assert.StartsWith($"'{Path}.event-adapters' has entries that not every shard's section has", Assert.Throws<ConfigurationException>(() => WriteShards.Read(all, Path)).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void More_shards_than_slices_are_refused()
    {
        var sections = string.Join('\n', Enumerable.Range(0, 1025).Select(i => $"many.s{i} {{ class = x }}"));
        var paths = string.Join(", ", Enumerable.Range(0, 1025).Select(i => $"many.s{i}"));
        var error = Assert.Throws<ConfigurationException>(() => WriteShards.Read(
            ConfigurationFactory.ParseString($"{sections}\n{Path}.shards = [{paths}]"), Path));
        Assert.Equal($"'{Path}.shards' has 1025 shards; it must have at most 1024, one for each slice. Leave some out.", error.Message);
    }

    [Theory]
    [InlineData(Path, true)]
    [InlineData("journals.nested", true)]
    [InlineData("journals.versioned", true)]
    [InlineData("journals.a", false)]
    [InlineData("journals.reader", false)]
    [InlineData("journals.none", false)]
    [InlineData("", false)]
    public void A_sharded_journal_is_recognised_by_its_class_or_path(string path, bool isSharded) =>
        Assert.Equal(isSharded, WriteShards.AreAt(All("shards = [journals.a]"), path));

    [Fact]
    public void Sections_of_shards_may_share_settings_by_substitution()
    {
        // As in docs/sharding.md. Akka.NET's HOCON can substitute values, but not a section in which a value is then changed.
        var all = ConfigurationFactory.ParseString("""
            akka.persistence.journal {
              sharded-databases {
                class = "Akka.Persistence.Sharded.ShardedWriteJournal, Akka.Persistence.Sharded"
                shards = ["akka.persistence.journal.a", "akka.persistence.journal.b"]
              }
              a {
                class = "Akka.Persistence.Sql.Journal.SqlWriteJournal, Akka.Persistence.Sql"
                connection-string = "Host=db-a"
                provider-name = PostgreSQL.15
                event-adapters.tagger = "MyApp.Tagger, MyApp"
                event-adapter-bindings { "MyApp.IEvent, MyApp" = tagger }
              }
              b {
                class = ${akka.persistence.journal.a.class}
                connection-string = "Host=db-b"
                provider-name = ${akka.persistence.journal.a.provider-name}
                event-adapters = ${akka.persistence.journal.a.event-adapters}
                event-adapter-bindings = ${akka.persistence.journal.a.event-adapter-bindings}
              }
            }
            """);
        Assert.Equal("0-511,512-1023", WriteShards.Read(all, Path).Map.ToString());
        var (a, b) = (all.GetConfig("akka.persistence.journal.a"), all.GetConfig("akka.persistence.journal.b"));
        Assert.Equal(("Host=db-a", "Host=db-b"), (a.GetString("connection-string"), b.GetString("connection-string")));
        Assert.Equal(a.GetString("class"), b.GetString("class"));
        Assert.Equal("tagger", b.GetConfig("event-adapter-bindings").AsEnumerable().Single().Value.GetString());
        Assert.True(b.HasPath("event-adapters.tagger"));
    }

    [Fact]
    public void Another_class_under_its_path_is_no_sharded_journal() =>
        Assert.False(WriteShards.AreAt(All("class = \"Mine.Journal, Mine\""), Path));

    private static WriteShards Read(string section) => WriteShards.Read(All(section), Path);

    private static Config All(string section) => ConfigurationFactory.ParseString($$"""
        journals {
          a { class = "A, A" }
          b { connection-string = "b" }
          nested { class = "Akka.Persistence.Sharded.ShardedWriteJournal, Akka.Persistence.Sharded" }
          versioned { class = "Akka.Persistence.Sharded.ShardedWriteJournal, Akka.Persistence.Sharded, Version=1.0.0.0" }
          reader { class = "Akka.Persistence.Query.Throttled.ThrottledReadJournalProvider, Akka.Persistence.Query.Throttled" }
        }
        {{Path}} {
            {{section}}
        }
        """);
}
