using System.Net;
using Throttled.Testing;

namespace Throttled.Tool.Tests.Shop;

/// <summary>The sample shop: what was ordered is shipped and counted once, also when it is killed and started again.</summary>
public sealed class ShopTests : IDisposable
{
    private readonly DirectoryInfo _directory = Directory.CreateTempSubdirectory("throttled-shop-");

    [Fact]
    [Trait("Category", "Long")]
    public Task On_SQLite_it_goes_on_where_it_was_when_it_was_killed() => RunAsync(null);

    [PostgreSqlFact]
    [Trait("Category", "Long")]
    public async Task On_PostgreSql_it_goes_on_where_it_was_when_it_was_killed()
    {
        using var server = PostgreSqlServer.Start(settings: new Dictionary<string, string> { ["shared_buffers"] = "32MB" });
        await RunAsync(server.CreateDatabase());
    }

    [Theory]
    [InlineData("Data Source=shop.db")]
    [InlineData("Host=127.0.0.1;Port=1;Username=shop;Timeout=5")]
    public async Task A_database_that_cannot_be_used_is_named_by_its_setting(string connection)
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => ShopProcess.StartAsync(_directory.FullName, connection));
        Assert.StartsWith("The shop ended with 2: error: the shop's database cannot be used: the one of ConnectionStrings:Shop, or the file shop.db if that is not set. ", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_writer_that_it_does_not_have_is_named_with_those_that_it_has()
    {
        var error = await Assert.ThrowsAsync<InvalidOperationException>(() => ShopProcess.StartAsync(_directory.FullName, null, with: "nhibernate"));
        Assert.Equal("The shop ended with 2: error: --with is 'nhibernate'; it must be sql, linq2db, efcore or all.", error.Message);
    }

    [Fact]
    public async Task An_empty_connection_string_means_the_file()
    {
        using var shop = await ShopProcess.StartAsync(_directory.FullName, postgreSql: "");
        Assert.True(File.Exists(Path.Combine(_directory.FullName, "shop.db")));
    }

    public void Dispose() => _directory.Delete(recursive: true);

    private async Task RunAsync(string? postgreSql)
    {
        using (var shop = await ShopProcess.StartAsync(_directory.FullName, postgreSql))
        {
            await OrderAsync(shop, "1", 2);
            Assert.Equal(["id: 1", "id: 2"], await EventsAsync(shop, "1", after: 0, count: 2));
            await SoldAsync(shop, orders: 1, pieces: 2);
            await IsAsync(shop, "/mails", """["ann ordered 2 tea"]""");
            await IsAsync(shop, "/health", "Healthy");
            Assert.Contains("<h1>Throttled ", await shop.Client.GetStringAsync(new Uri("/throttled", UriKind.Relative)), StringComparison.Ordinal);
            await Wait.UntilAsync(
                async () => (await shop.Client.GetStringAsync(new Uri("/throttled/status", UriKind.Relative))).Contains("\"name\":\"sales_sql\"", StringComparison.Ordinal),
                () => $"the projection on the page; the shop says: {shop}");
            using var other = await shop.Client.PostAsync(new Uri("/orders/1?customer=ann&product=coffee&count=2", UriKind.Relative), content: null);
            Assert.Equal(HttpStatusCode.Conflict, other.StatusCode);
            using var negative = await shop.Client.PostAsync(new Uri("/orders/9?customer=ann&product=tea&count=-1", UriKind.Relative), content: null);
            Assert.Equal((HttpStatusCode.BadRequest, "\"count is -1; it must be from 1 to 1,000.\""), (negative.StatusCode, await negative.Content.ReadAsStringAsync()));
        }
        using (var shop = await ShopProcess.StartAsync(_directory.FullName, postgreSql))
        {
            await OrderAsync(shop, "1", 2);
            await OrderAsync(shop, "2%20b", 3);
            Assert.Equal(["id: 2"], await EventsAsync(shop, "1", after: 1, count: 1));
            Assert.Equal(["id: 1", "id: 2"], await EventsAsync(shop, "2%20b", after: 0, count: 2));
            await SoldAsync(shop, orders: 2, pieces: 5);
            await IsAsync(shop, "/mails", """["ann ordered 2 tea","ann ordered 3 tea"]""");
        }
    }

    // That it is ordered again changes nothing; while the order's actor takes too long to recover, the shop answers 500.
    private static Task OrderAsync(ShopProcess shop, string order, int count) => Wait.UntilAsync(
        async () =>
        {
            using var answer = await shop.Client.PostAsync(new Uri($"/orders/{order}?customer=ann&product=tea&count={count}", UriKind.Relative), content: null);
            return answer.StatusCode == HttpStatusCode.Created;
        },
        () => $"order {order}; the shop says: {shop}");

    private static async Task<List<string>> EventsAsync(ShopProcess shop, string order, int after, int count)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, $"/orders/{order}");
        request.Headers.Add("Last-Event-ID", $"{after}");
        using var answer = await shop.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead).WithinAsync("a page of an order");
        using var reader = new StreamReader(await answer.Content.ReadAsStreamAsync());
        List<string> ids = [];
        while (ids.Count < count && await reader.ReadLineAsync().WithinAsync($"{count} events; the shop says: {shop}") is { } line)
        {
            if (line.StartsWith("id: ", StringComparison.Ordinal))
                ids.Add(line);
        }
        return ids;
    }

    // The tables come with the projections' start. The verdict compares the read models of plain SQL, linq2db and EF Core.
    private static async Task SoldAsync(ShopProcess shop, int orders, int pieces)
    {
        await IsAsync(shop, "/customers", $$"""[{"customer":"ann","orders":{{orders}},"pieces":{{pieces}}}]""");
        await IsAsync(shop, "/verdict", $"sql, linq2db, efcore: the same read model; {orders} orders of 1 customers, {orders} shipped.");
    }

    private static Task IsAsync(ShopProcess shop, string path, string expected) => Wait.UntilAsync(
        async () =>
        {
            using var answer = await shop.Client.GetAsync(new Uri(path, UriKind.Relative));
            return await answer.Content.ReadAsStringAsync() == expected;
        },
        () => $"{expected} at {path}; the shop says: {shop}");
}
