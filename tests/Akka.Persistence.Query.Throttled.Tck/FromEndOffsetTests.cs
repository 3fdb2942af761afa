using Akka.Persistence.Query.Throttled.Tests.Journals;
using Akka.Persistence.TCK.Query;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Tck;

// Not on several shards, which refuse offsets from the end: there is no order of all events.
public sealed class SqliteTagTableFromEndOffsetTests(ITestOutputHelper output) : FromEndOffsetOn<SqliteTagTable>(output);

public sealed class SqliteCsvFromEndOffsetTests(ITestOutputHelper output) : FromEndOffsetOn<SqliteCsv>(output);

[Trait("Category", "Long")]
public sealed class SqliteLegacyFromEndOffsetTests(ITestOutputHelper output) : FromEndOffsetOn<SqliteLegacy>(output);

public sealed class PostgreSqlTagTableFromEndOffsetTests(ITestOutputHelper output) : FromEndOffsetOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlCsvFromEndOffsetTests(ITestOutputHelper output) : FromEndOffsetOn<PostgreSqlCsv>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlLegacyFromEndOffsetTests(ITestOutputHelper output) : FromEndOffsetOn<PostgreSqlLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqlServerTagTableFromEndOffsetTests(ITestOutputHelper output) : FromEndOffsetOn<SqlServerTagTable>(output);

[Trait("Category", "Long")]
public sealed class SqlServerLegacyFromEndOffsetTests(ITestOutputHelper output) : FromEndOffsetOn<SqlServerLegacy>(output);

[TestCaseOrderer(SkippedWithoutServer.Type, SkippedWithoutServer.Assembly)]
public abstract class FromEndOffsetOn<TJournal> : FromEndOffsetSpec
    where TJournal : IWrittenJournal
{
    protected FromEndOffsetOn(ITestOutputHelper output)
        : this(TJournal.New(), output)
    {
    }

    private FromEndOffsetOn(WrittenJournal journal, ITestOutputHelper output)
        : base(journal.Config, null, output) => ReadJournal = journal.OpenIn(Sys);
}
