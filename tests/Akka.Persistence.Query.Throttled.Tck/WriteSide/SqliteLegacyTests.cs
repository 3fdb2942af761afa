using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.WriteSide;

public sealed class SqliteLegacyPersistingTests(ITestOutputHelper output) : PersistingOn<SqliteLegacy>(output);

public sealed class SqliteLegacyDeletionsTests(ITestOutputHelper output) : DeletionsOn<SqliteLegacy>(output);

public sealed class SqliteLegacyTagsTests(ITestOutputHelper output) : TagsOn<SqliteLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqliteLegacySystemsTests(ITestOutputHelper output) : SystemsOn<SqliteLegacy>(output);
