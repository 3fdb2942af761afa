using Akka.Persistence.Query.Throttled.Tests.Journals;
using Xunit.Abstractions;

namespace Akka.Persistence.Query.Throttled.Tests.Tck;

// All specs run on the default journal. On the others, specs run that depend on the layout: with tags in a column those by tag and of
// all events, with the older names one of each kind of query. The rest is of category Long.
public sealed class PostgreSqlTagTableAllEventsTests(ITestOutputHelper output) : AllEventsOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlTagTableCurrentAllEventsTests(ITestOutputHelper output) : CurrentAllEventsOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlTagTableEventsByPersistenceIdTests(ITestOutputHelper output) : EventsByPersistenceIdOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlTagTableCurrentEventsByPersistenceIdTests(ITestOutputHelper output) : CurrentEventsByPersistenceIdOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlTagTableEventsByTagTests(ITestOutputHelper output) : EventsByTagOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlTagTableCurrentEventsByTagTests(ITestOutputHelper output) : CurrentEventsByTagOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlTagTableFromEndTests(ITestOutputHelper output) : FromEndOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlCsvFromEndTests(ITestOutputHelper output) : FromEndOn<PostgreSqlCsv>(output);

public sealed class PostgreSqlLegacyFromEndTests(ITestOutputHelper output) : FromEndOn<PostgreSqlLegacy>(output);

public sealed class PostgreSqlTagTablePersistenceIdsTests(ITestOutputHelper output) : PersistenceIdsOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlTagTableCurrentPersistenceIdsTests(ITestOutputHelper output) : CurrentPersistenceIdsOn<PostgreSqlTagTable>(output);

public sealed class PostgreSqlCsvAllEventsTests(ITestOutputHelper output) : AllEventsOn<PostgreSqlCsv>(output);

public sealed class PostgreSqlCsvCurrentAllEventsTests(ITestOutputHelper output) : CurrentAllEventsOn<PostgreSqlCsv>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlCsvEventsByPersistenceIdTests(ITestOutputHelper output) : EventsByPersistenceIdOn<PostgreSqlCsv>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlCsvCurrentEventsByPersistenceIdTests(ITestOutputHelper output) : CurrentEventsByPersistenceIdOn<PostgreSqlCsv>(output);

public sealed class PostgreSqlCsvEventsByTagTests(ITestOutputHelper output) : EventsByTagOn<PostgreSqlCsv>(output);

public sealed class PostgreSqlCsvCurrentEventsByTagTests(ITestOutputHelper output) : CurrentEventsByTagOn<PostgreSqlCsv>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlCsvPersistenceIdsTests(ITestOutputHelper output) : PersistenceIdsOn<PostgreSqlCsv>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlCsvCurrentPersistenceIdsTests(ITestOutputHelper output) : CurrentPersistenceIdsOn<PostgreSqlCsv>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlLegacyAllEventsTests(ITestOutputHelper output) : AllEventsOn<PostgreSqlLegacy>(output);

public sealed class PostgreSqlLegacyCurrentAllEventsTests(ITestOutputHelper output) : CurrentAllEventsOn<PostgreSqlLegacy>(output);

public sealed class PostgreSqlLegacyEventsByPersistenceIdTests(ITestOutputHelper output) : EventsByPersistenceIdOn<PostgreSqlLegacy>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlLegacyCurrentEventsByPersistenceIdTests(ITestOutputHelper output) : CurrentEventsByPersistenceIdOn<PostgreSqlLegacy>(output);

public sealed class PostgreSqlLegacyEventsByTagTests(ITestOutputHelper output) : EventsByTagOn<PostgreSqlLegacy>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlLegacyCurrentEventsByTagTests(ITestOutputHelper output) : CurrentEventsByTagOn<PostgreSqlLegacy>(output);

[Trait("Category", "Long")]
public sealed class PostgreSqlLegacyPersistenceIdsTests(ITestOutputHelper output) : PersistenceIdsOn<PostgreSqlLegacy>(output);

public sealed class PostgreSqlLegacyCurrentPersistenceIdsTests(ITestOutputHelper output) : CurrentPersistenceIdsOn<PostgreSqlLegacy>(output);
