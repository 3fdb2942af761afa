using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.WriteSide;

// All tests run on the default journal. On the others, tests run that depend on the layout or the write plugin; the rest is of category Long.
public sealed class SqliteTagTablePersistingTests(ITestOutputHelper output) : PersistingOn<SqliteTagTable>(output);

public sealed class SqliteTagTableDeletionsTests(ITestOutputHelper output) : DeletionsOn<SqliteTagTable>(output);

public sealed class SqliteTagTableTagsTests(ITestOutputHelper output) : TagsOn<SqliteTagTable>(output);

public sealed class SqliteTagTableSystemsTests(ITestOutputHelper output) : SystemsOn<SqliteTagTable>(output);

[Trait("Category", "Long")]
public sealed class SqliteCsvPersistingTests(ITestOutputHelper output) : PersistingOn<SqliteCsv>(output);

[Trait("Category", "Long")]
public sealed class SqliteCsvDeletionsTests(ITestOutputHelper output) : DeletionsOn<SqliteCsv>(output);

public sealed class SqliteCsvTagsTests(ITestOutputHelper output) : TagsOn<SqliteCsv>(output);

[Trait("Category", "Long")]
public sealed class SqliteCsvSystemsTests(ITestOutputHelper output) : SystemsOn<SqliteCsv>(output);
