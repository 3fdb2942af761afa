using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Tck;

// All of category Long: each spec creates its tables again, on a remote server.
[Trait("Category", "Long")]
public sealed class SqlServerTagTableAllEventsTests(ITestOutputHelper output) : AllEventsOn<SqlServerTagTable>(output);

[Trait("Category", "Long")]
public sealed class SqlServerTagTableCurrentAllEventsTests(ITestOutputHelper output) : CurrentAllEventsOn<SqlServerTagTable>(output);

[Trait("Category", "Long")]
public sealed class SqlServerTagTableEventsByPersistenceIdTests(ITestOutputHelper output) : EventsByPersistenceIdOn<SqlServerTagTable>(output);

[Trait("Category", "Long")]
public sealed class SqlServerTagTableCurrentEventsByPersistenceIdTests(ITestOutputHelper output) : CurrentEventsByPersistenceIdOn<SqlServerTagTable>(output);

[Trait("Category", "Long")]
public sealed class SqlServerTagTableEventsByTagTests(ITestOutputHelper output) : EventsByTagOn<SqlServerTagTable>(output);

[Trait("Category", "Long")]
public sealed class SqlServerTagTableCurrentEventsByTagTests(ITestOutputHelper output) : CurrentEventsByTagOn<SqlServerTagTable>(output);

[Trait("Category", "Long")]
public sealed class SqlServerTagTableFromEndTests(ITestOutputHelper output) : FromEndOn<SqlServerTagTable>(output);

[Trait("Category", "Long")]
public sealed class SqlServerTagTablePersistenceIdsTests(ITestOutputHelper output) : PersistenceIdsOn<SqlServerTagTable>(output);

[Trait("Category", "Long")]
public sealed class SqlServerTagTableCurrentPersistenceIdsTests(ITestOutputHelper output) : CurrentPersistenceIdsOn<SqlServerTagTable>(output);

[Trait("Category", "Long")]
public sealed class SqlServerLegacyAllEventsTests(ITestOutputHelper output) : AllEventsOn<SqlServerLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqlServerLegacyCurrentAllEventsTests(ITestOutputHelper output) : CurrentAllEventsOn<SqlServerLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqlServerLegacyEventsByPersistenceIdTests(ITestOutputHelper output) : EventsByPersistenceIdOn<SqlServerLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqlServerLegacyCurrentEventsByPersistenceIdTests(ITestOutputHelper output) : CurrentEventsByPersistenceIdOn<SqlServerLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqlServerLegacyEventsByTagTests(ITestOutputHelper output) : EventsByTagOn<SqlServerLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqlServerLegacyCurrentEventsByTagTests(ITestOutputHelper output) : CurrentEventsByTagOn<SqlServerLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqlServerLegacyFromEndTests(ITestOutputHelper output) : FromEndOn<SqlServerLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqlServerLegacyPersistenceIdsTests(ITestOutputHelper output) : PersistenceIdsOn<SqlServerLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqlServerLegacyCurrentPersistenceIdsTests(ITestOutputHelper output) : CurrentPersistenceIdsOn<SqlServerLegacy>(output);
