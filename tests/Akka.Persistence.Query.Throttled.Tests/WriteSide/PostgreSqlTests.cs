using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.WriteSide;

// All tests run on the default journal. On the others, tests run that depend on the layout or the write plugin; the rest is of category Long.
public sealed class PostgreSqlTagTablePersistingTests(ITestOutputHelper output) : PersistingOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlTagTableDeletionsTests(ITestOutputHelper output) : DeletionsOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlTagTableTagsTests(ITestOutputHelper output) : TagsOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlTagTableSystemsTests(ITestOutputHelper output) : SystemsOn<PostgreSqlTagTable>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlCsvPersistingTests(ITestOutputHelper output) : PersistingOn<PostgreSqlCsv>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlCsvDeletionsTests(ITestOutputHelper output) : DeletionsOn<PostgreSqlCsv>(output);

public sealed class PostgreSqlCsvTagsTests(ITestOutputHelper output) : TagsOn<PostgreSqlCsv>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlCsvSystemsTests(ITestOutputHelper output) : SystemsOn<PostgreSqlCsv>(output);

public sealed class PostgreSqlLegacyPersistingTests(ITestOutputHelper output) : PersistingOn<PostgreSqlLegacy>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlLegacyDeletionsTests(ITestOutputHelper output) : DeletionsOn<PostgreSqlLegacy>(output);

public sealed class PostgreSqlLegacyTagsTests(ITestOutputHelper output) : TagsOn<PostgreSqlLegacy>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlLegacySystemsTests(ITestOutputHelper output) : SystemsOn<PostgreSqlLegacy>(output);
