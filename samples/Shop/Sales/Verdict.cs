using System.Text.Json;

/// <summary>Compares the read models that different handlers wrote from the same events.</summary>
internal static class Verdict
{
    /// <returns>One sentence. Read models may differ as long as one of the projections has not handled the last events.</returns>
    internal static async Task<string> OfAsync(ShopDatabase database, string[] writers)
    {
        var (orders, customers) = (await database.OrdersAsync($"sales_{writers[0]}"), await database.CustomersAsync($"sales_{writers[0]}"));
        var expected = JsonSerializer.Serialize(new { orders, customers });
        foreach (var other in writers[1..])
        {
            var (otherOrders, otherCustomers) = (await database.OrdersAsync($"sales_{other}"), await database.CustomersAsync($"sales_{other}"));
            if (JsonSerializer.Serialize(new { orders = otherOrders, customers = otherCustomers }) != expected)
                return $"DIFFERENT: {writers[0]} and {other} have not the same read model.";
        }
        return $"{string.Join(", ", writers)}: {(writers.Length > 1 ? "the same read model" : "one read model")}; "
            + $"{orders.Count} orders of {customers.Count} customers, {orders.Count(order => order.Shipped)} shipped.";
    }
}
