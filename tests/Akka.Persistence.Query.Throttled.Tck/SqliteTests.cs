using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Tck;

// All specs run on the default journal. On the others, specs run that depend on the layout: with tags in a column those by tag and of
// all events, with the older names one of each kind of query. The rest is of category Long.
public sealed class SqliteTagTableAllEventsTests(ITestOutputHelper output) : AllEventsOn<SqliteTagTable>(output);

public sealed class SqliteTagTableCurrentAllEventsTests(ITestOutputHelper output) : CurrentAllEventsOn<SqliteTagTable>(output);

public sealed class SqliteTagTableEventsByPersistenceIdTests(ITestOutputHelper output) : EventsByPersistenceIdOn<SqliteTagTable>(output);

public sealed class SqliteTagTableCurrentEventsByPersistenceIdTests(ITestOutputHelper output) : CurrentEventsByPersistenceIdOn<SqliteTagTable>(output);

public sealed class SqliteTagTableEventsByTagTests(ITestOutputHelper output) : EventsByTagOn<SqliteTagTable>(output);

public sealed class SqliteTagTableCurrentEventsByTagTests(ITestOutputHelper output) : CurrentEventsByTagOn<SqliteTagTable>(output);

public sealed class SqliteTagTableFromEndTests(ITestOutputHelper output) : FromEndOn<SqliteTagTable>(output);

public sealed class SqliteCsvFromEndTests(ITestOutputHelper output) : FromEndOn<SqliteCsv>(output);

public sealed class SqliteLegacyFromEndTests(ITestOutputHelper output) : FromEndOn<SqliteLegacy>(output);

public sealed class SqliteTagTablePersistenceIdsTests(ITestOutputHelper output) : PersistenceIdsOn<SqliteTagTable>(output);

public sealed class SqliteTagTableCurrentPersistenceIdsTests(ITestOutputHelper output) : CurrentPersistenceIdsOn<SqliteTagTable>(output);

public sealed class SqliteCsvAllEventsTests(ITestOutputHelper output) : AllEventsOn<SqliteCsv>(output);

public sealed class SqliteCsvCurrentAllEventsTests(ITestOutputHelper output) : CurrentAllEventsOn<SqliteCsv>(output);

[Trait("Category", "Long")]
public sealed class SqliteCsvEventsByPersistenceIdTests(ITestOutputHelper output) : EventsByPersistenceIdOn<SqliteCsv>(output);

[Trait("Category", "Long")]
public sealed class SqliteCsvCurrentEventsByPersistenceIdTests(ITestOutputHelper output) : CurrentEventsByPersistenceIdOn<SqliteCsv>(output);

public sealed class SqliteCsvEventsByTagTests(ITestOutputHelper output) : EventsByTagOn<SqliteCsv>(output);

public sealed class SqliteCsvCurrentEventsByTagTests(ITestOutputHelper output) : CurrentEventsByTagOn<SqliteCsv>(output);

[Trait("Category", "Long")]
public sealed class SqliteCsvPersistenceIdsTests(ITestOutputHelper output) : PersistenceIdsOn<SqliteCsv>(output);

[Trait("Category", "Long")]
public sealed class SqliteCsvCurrentPersistenceIdsTests(ITestOutputHelper output) : CurrentPersistenceIdsOn<SqliteCsv>(output);

[Trait("Category", "Long")]
public sealed class SqliteLegacyAllEventsTests(ITestOutputHelper output) : AllEventsOn<SqliteLegacy>(output);

public sealed class SqliteLegacyCurrentAllEventsTests(ITestOutputHelper output) : CurrentAllEventsOn<SqliteLegacy>(output);

public sealed class SqliteLegacyEventsByPersistenceIdTests(ITestOutputHelper output) : EventsByPersistenceIdOn<SqliteLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqliteLegacyCurrentEventsByPersistenceIdTests(ITestOutputHelper output) : CurrentEventsByPersistenceIdOn<SqliteLegacy>(output);

public sealed class SqliteLegacyEventsByTagTests(ITestOutputHelper output) : EventsByTagOn<SqliteLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqliteLegacyCurrentEventsByTagTests(ITestOutputHelper output) : CurrentEventsByTagOn<SqliteLegacy>(output);

[Trait("Category", "Long")]
public sealed class SqliteLegacyPersistenceIdsTests(ITestOutputHelper output) : PersistenceIdsOn<SqliteLegacy>(output);

public sealed class SqliteLegacyCurrentPersistenceIdsTests(ITestOutputHelper output) : CurrentPersistenceIdsOn<SqliteLegacy>(output);
