using System.Text.Json;
using Deque.AxeCore.Playwright;
using Microsoft.Playwright;
using Throttled.AspNetCore.Figures;
using Throttled.AspNetCore.Status;
using Throttled.AspNetCore.Tests.Hosting;

namespace Throttled.AspNetCore.Tests.Browser;

/// <summary>The page in a real browser.</summary>
[Trait("Category", "Long")]
public sealed class PageTests(Chromium chromium) : IClassFixture<Chromium>
{
    [BrowserTheory]
    [InlineData(ColorScheme.Light, 1280)]
    [InlineData(ColorScheme.Dark, 1280)]
    [InlineData(ColorScheme.Light, 360)]
    [InlineData(ColorScheme.Dark, 360)]
    public async Task Axe_finds_nothing(ColorScheme scheme, int width)
    {
        await using var bank = await BankPage.OpenAsync(chromium, scheme, width, withTrouble: true);
        await bank.OpenDetailsAsync();
        var result = await bank.Page.RunAxe();
        Assert.True(result.Passes.Length > 10, "Axe hardly checked anything.");
        Assert.Empty(result.Violations.Select(each => $"{each.Id}: {each.Help}: {string.Join("; ", each.Nodes.Select(node => node.Html))}"));
        Assert.Empty(bank.Complaints);
    }

    [BrowserFact]
    public async Task Figures_change_while_the_page_is_open()
    {
        await using var bank = await BankPage.OpenAsync(chromium);
        Assert.Equal("12", await bank.FigureAsync(bank.Bank.Name, "mark"));
        await bank.Bank.AppendAsync("account-1", "account-2");
        await bank.UntilAsync(bank.Bank.Name, "mark", text => text == "14");
        await bank.UntilAsync("balances", "offset", text => text == "14");
        await bank.UntilAsync(bank.Bank.Name, "statements", text => text != "–" && text != "0");
        Assert.Contains(" ", await bank.Card(bank.Bank.Name).Locator("dd[data-key=following] polyline").GetAttributeAsync("points"), StringComparison.Ordinal);
        Assert.Equal("Live", await bank.Page.Locator("#connection").InnerTextAsync());
    }

    [BrowserFact]
    public async Task What_needs_attention_is_said_in_words()
    {
        await using var bank = await BankPage.OpenAsync(chromium, withTrouble: true);
        await bank.Page.GetByText($"Journal {bank.Bank.Name}-archive cannot be read. Queries wait until its database answers.").WaitForAsync();
        await bank.Page.GetByText("Projection balances has dead letters: 1.").WaitForAsync();
        Assert.StartsWith("Needs attention: ", await bank.Page.Locator("#verdict").InnerTextAsync(), StringComparison.Ordinal);
        Assert.StartsWith("(", await bank.Page.TitleAsync(), StringComparison.Ordinal);
    }

    [BrowserTheory]
    [InlineData(12, 600, 7200, "Nothing needs attention.")]
    [InlineData(12, 5, 7200, "Journal main: a gap or an open transaction has stalled the high-water mark. Queries by tag, by slices and of all events wait.")]
    [InlineData(0, 10, 90, "Journal main went back from ordering 1,200: it was restored or truncated, or has lost events. All its queries ended.")]
    public async Task A_stall_needs_attention_after_the_gap_timeout_and_a_rewind_for_an_hour(double stalled, double gapTimeout, double rewound, string text)
    {
        await using var host = await PageHost.StartAsync();
        await using var context = await chromium.OpenAsync();
        var page = await context.NewPageAsync();
        var journal = new JournalSnapshot
        {
            Name = "main", Shard = null, Instance = null, PermitsUsed = 0, PermitLimit = 10, QueriesWaiting = 0, QueriesFollowing = 1, QueriesLagging = 0,
            StatementsPerSecond = null, EventsPerSecond = null, RetriesPerSecond = null, StatementDuration = null, PermitWait = null, HighWaterMark = 7,
            StalledSeconds = stalled, GapTimeoutSeconds = gapTimeout, Gaps = 1, RewoundSecondsAgo = rewound, RewoundFrom = 1200,
            CircuitBreaker = "closed", BrokenSessions = 0, BufferedBytes = 0,
        };
        var status = JsonSerializer.Serialize(new { application = "Bank", host = "server-1", allowsCommands = false, journals = (JournalSnapshot[])[journal], readModels = (object[])[] }, PageJson.Options);
        await page.RouteAsync("**/throttled/live", route => route.FulfillAsync(new() { ContentType = "text/event-stream", Body = $"data: {status}\n\n" }));
        await page.GotoAsync(new Uri(host.Address, "throttled").ToString());
        await page.GetByText(text, new() { Exact = true }).WaitForAsync();
        Assert.Equal(rewound > 3600 ? "2 h ago, from 1,200" : "90 s ago, from 1,200", await page.Locator("dd[data-key=rewound] > span").InnerTextAsync());
    }

    [BrowserFact]
    public async Task The_browser_asks_nobody_but_the_application_and_has_no_complaints()
    {
        await using var bank = await BankPage.OpenAsync(chromium);
        await bank.Card("balances").Locator("summary").First.ClickAsync();
        Assert.All(bank.Requests, request => Assert.Equal(bank.Address.Authority, request.Authority));
        Assert.Contains(bank.Requests, request => request.AbsolutePath == "/throttled/live");
        Assert.Empty(bank.Complaints);
    }

    [BrowserFact]
    public async Task The_keyboard_reaches_everything()
    {
        await using var bank = await BankPage.OpenAsync(chromium, withTrouble: true);
        await PressAsync(bank, "Tab", "Skip to the figures");
        await PressAsync(bank, "Tab", "Freeze");
        await bank.Page.Keyboard.PressAsync("Enter");
        Assert.Equal("Frozen", await bank.Page.Locator("#connection").InnerTextAsync());
        await bank.Page.Keyboard.PressAsync("Enter");
        await bank.Page.Locator("#connection", new() { HasText = "Live" }).WaitForAsync();
        await PressAsync(bank, "Tab", "Pause balances");
        await PressAsync(bank, "Tab", "Retry dead letters of balances");
        await PressAsync(bank, "Tab", "Lanes: 4");
        await bank.Page.Keyboard.PressAsync("Enter");
        await bank.Card("balances").GetByRole(AriaRole.Table, new() { Name = "Lanes of balances" }).WaitForAsync();
        await PressAsync(bank, "Tab", "Lanes of balances");
        await PressAsync(bank, "Tab", "Dead letters: 1");
        await bank.Page.Keyboard.PressAsync("Enter");
        await bank.Card("balances").GetByRole(AriaRole.Cell, new() { Name = Bank.Poison }).First.WaitForAsync();
        await PressAsync(bank, "Tab", "Dead letters of balances");
        await PressAsync(bank, "Tab", $"Retry dead letters of {Bank.Poison}");
    }

    [BrowserFact]
    public async Task The_skip_link_leads_to_the_figures()
    {
        await using var bank = await BankPage.OpenAsync(chromium);
        await bank.Page.Keyboard.PressAsync("Tab");
        await bank.Page.Keyboard.PressAsync("Enter");
        Assert.Equal("main", await bank.Page.EvaluateAsync<string>("document.activeElement.id"));
    }

    [BrowserFact]
    public async Task A_projection_is_paused_and_resumed_and_its_dead_letters_are_tried_again()
    {
        await using var bank = await BankPage.OpenAsync(chromium, withTrouble: true);
        var card = bank.Card("balances");
        await card.GetByRole(AriaRole.Button, new() { Name = "Pause balances" }).ClickAsync();
        await card.Locator(".badge", new() { HasText = "paused" }).WaitForAsync();
        await card.GetByText("'balances' is paused; no lane runs.").WaitForAsync();
        await card.GetByRole(AriaRole.Button, new() { Name = "Resume balances" }).ClickAsync();
        await card.Locator(".badge", new() { HasText = "caught up" }).WaitForAsync();
        bank.Bank.Heal();
        await card.GetByRole(AriaRole.Button, new() { Name = "Retry dead letters of balances" }).ClickAsync();
        await bank.UntilAsync("balances", "dead", text => text == "0");
        Assert.Empty(bank.Complaints);
    }

    [BrowserFact]
    public async Task A_frozen_page_asks_for_nothing()
    {
        await using var bank = await BankPage.OpenAsync(chromium);
        await bank.Page.Locator("#freeze").ClickAsync();
        var before = await bank.FigureAsync(bank.Bank.Name, "mark");
        var requests = bank.Requests.Count;
        await bank.Bank.AppendAsync("account-3");
        await bank.Page.Locator("#freeze").ClickAsync();
        await bank.UntilAsync(bank.Bank.Name, "mark", text => text != before);
        Assert.Equal(requests + 1, bank.Requests.Count);
    }

    [BrowserTheory]
    [InlineData(320)]
    [InlineData(600)]
    public async Task A_narrow_screen_needs_no_sideways_scrolling(int width)
    {
        await using var bank = await BankPage.OpenAsync(chromium, width: width, withTrouble: true);
        await bank.OpenDetailsAsync();
        Assert.Equal(width, await bank.Page.EvaluateAsync<int>("document.documentElement.scrollWidth"));
    }

    // The name that a screen reader says.
    private static async Task PressAsync(BankPage bank, string key, string name)
    {
        await bank.Page.Keyboard.PressAsync(key);
        Assert.Equal(name, await bank.Page.EvaluateAsync<string>("document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent"));
    }
}
