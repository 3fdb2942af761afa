using System.Net.ServerSentEvents;
using Akka.Persistence.Query.Throttled.Hosting;
using Throttled.AspNetCore;
using Throttled.Projections;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.AddFilter("Microsoft.AspNetCore", LogLevel.Warning);
var with = builder.Configuration["with"] ?? "sql";
if (with != "all" && !SalesTables.Writers.Contains(with))
{
    Console.Error.WriteLine($"error: --with is '{with}'; it must be {string.Join(", ", SalesTables.Writers)} or all.");
    return 2;
}
string[] writers = with == "all" ? SalesTables.Writers : [with];
ShopDatabase database;
try
{
    database = new(builder.Configuration.GetConnectionString("Shop") is { Length: > 0 } postgreSql ? postgreSql : null);
    await database.CreateAsync();
}
catch (Exception error)
{
    Console.Error.WriteLine($"error: the shop's database cannot be used: the one of ConnectionStrings:Shop, or the file shop.db if that is not set. {error.Message}");
    return 2;
}
builder.Services.AddSingleton(database);
builder.Services.AddAkka("shop", akka => akka
    .AddHocon(database.WritePlugin, HoconAddMode.Prepend)
    .WithThrottledReadJournal(journalBuilder: journal => journal.WithHealthCheck())
    .WithActors((system, registry) => registry.Register<Orders>(system.ActorOf(Props.Create<Orders>(), "orders"))));
// Streams and projections share the read journal's reader, and with it its connections and permits.
builder.Services.AddThrottledJournalReader();
builder.Services.AddSingleton(database.ReadModel);
foreach (var writer in writers)
{
    ProjectionHandler handler = writer switch { "sql" => new SqlSales(), "linq2db" => new Linq2DbSales(), _ => new EfCoreSales() };
    builder.Services.AddProjection($"sales_{writer}", handler, projection => projection.WithOptions((services, options) => options with
    {
        Lanes = handler is EfCoreSales ? 1 : 4,
        Decoder = ThrottledReadJournal.PayloadDecoder(services.GetRequiredService<ActorSystem>()),
    }));
    builder.Services.AddHealthChecks().AddProjection($"sales_{writer}");
}
builder.Services.AddHostedService<Warehouse>();
builder.Services.AddAntiforgery();

var app = builder.Build();
app.MapHealthChecks("/health");
app.MapGet("/customers", () => database.CustomersAsync($"sales_{writers[0]}"));
app.MapGet("/verdict", () => Verdict.OfAsync(database, writers));
// Answers requests from this machine only; for others, add .RequireAuthorization("ops").
app.MapThrottled("/throttled", new() { AllowCommands = true });
app.MapPost("/orders/{id}", async (string id, string customer, string product, int count, IRequiredActor<Orders> orders) =>
{
    if (count is < 1 or > 1_000)
        return Results.BadRequest($"count is {count}; it must be from 1 to 1,000.");
    if (customer.Length is 0 or > 100 || product.Length is 0 or > 100)
        return Results.BadRequest("customer and product must have 1 to 100 characters.");
    var isPlaced = await orders.ActorRef.Ask<bool>(new ToOrder(id, new Placed(customer, product, count)), TimeSpan.FromSeconds(10));
    return isPlaced ? Results.Created($"/orders/{Uri.EscapeDataString(id)}", null) : Results.Conflict("There is another order with this id.");
});
// One live query for each open page. After a broken connection, the browser sends the id of its last event, and the query goes on after it.
app.MapGet("/orders/{id}", (string id, ActorSystem system, HttpRequest request) =>
{
    var had = long.TryParse(request.Headers["Last-Event-ID"], out var number) ? number : 0;
    var events = system.ReadJournalFor<ThrottledReadJournal>(ThrottledReadJournal.Identifier)
        .EventsByPersistenceId($"order-{id}", had + 1, long.MaxValue)
        .Select(each => new SseItem<string>($"{each.Event}", each.Event.GetType().Name) { EventId = $"{each.SequenceNr}" })
        .RunAsAsyncEnumerable(system.Materializer());
    return TypedResults.ServerSentEvents(events);
});
app.Lifetime.ApplicationStarted.Register(() => Console.WriteLine($$"""
    curl -X POST '{{app.Urls.First()}}/orders/1?customer=ann&product=tea&count=2'
    curl -N {{app.Urls.First()}}/orders/1     # follows the order; it is shipped at once
    curl {{app.Urls.First()}}/customers       # the read model, written with {{writers[0]}}
    curl {{app.Urls.First()}}/verdict         # with '--with all': whether all read models are the same
    curl {{app.Urls.First()}}/health
    {{app.Urls.First()}}/throttled            # journal and projections, live, in a browser
    The data is in {{database.Place}}.
    """));
await app.RunAsync();
return 0;
