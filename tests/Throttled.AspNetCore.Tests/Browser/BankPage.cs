using System.Globalization;
using Microsoft.Playwright;
using Throttled.AspNetCore.Tests.Hosting;

namespace Throttled.AspNetCore.Tests.Browser;

/// <summary>The page of a bank in a browser.</summary>
internal sealed class BankPage : IAsyncDisposable
{
    private readonly IBrowserContext _context;
    private readonly PageHost _host;

    private BankPage(Bank bank, PageHost host, IBrowserContext context, IPage page) => (Bank, _host, _context, Page) = (bank, host, context, page);

    internal Bank Bank { get; }

    internal IPage Page { get; }

    /// <summary>What the browser complained about, for example a breach of the content security policy.</summary>
    internal List<string> Complaints { get; } = [];

    /// <summary>Where the browser sent requests to.</summary>
    internal List<Uri> Requests { get; } = [];

    internal Uri Address => _host.Address;

    internal static async Task<BankPage> OpenAsync(Chromium chromium, ColorScheme scheme = ColorScheme.Light, int width = 1280, int height = 900, bool withTrouble = false)
    {
        var bank = await Bank.OpenAsync();
        var host = await PageHost.StartAsync(bank.Register, new() { AllowCommands = true });
        bank.Follow(200);
        bank.FollowAll();
        await bank.AppendAsync([.. Enumerable.Range(0, 12).Select(each => $"account-{each}")]);
        if (withTrouble)
        {
            bank.OpenArchive();
            await bank.AppendAsync(Bank.Poison);
        }
        var context = await chromium.OpenAsync(scheme, width, height);
        var opened = new BankPage(bank, host, context, await context.NewPageAsync());
        await opened.LoadAsync(withTrouble);
        return opened;
    }

    internal ILocator Card(string name) => Page.Locator("article").Filter(new() { Has = Page.GetByRole(AriaRole.Heading, new() { Name = name, Exact = true }) });

    internal Task<string> FigureAsync(string card, string key) => Card(card).Locator($"dd[data-key={key}] > span").InnerTextAsync();

    internal Task UntilAsync(string card, string key, Func<string, bool> isTrue)
    {
        var last = "";
        return Wait.UntilAsync(async () => isTrue(last = await FigureAsync(card, key)), () => $"another figure '{key}' of {card} than {last}", TimeSpan.FromMinutes(1));
    }

    /// <summary>Opens the lanes and the dead letters of the projection that has trouble.</summary>
    internal async Task OpenDetailsAsync()
    {
        foreach (var summary in await Card("balances").Locator("summary").AllAsync())
            await summary.ClickAsync();
        await Card("balances").GetByText("The account has no currency.").First.WaitForAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _context.DisposeAsync();
        await _host.DisposeAsync();
        await Bank.DisposeAsync();
    }

    private async Task LoadAsync(bool withTrouble)
    {
        Page.Console += (_, message) =>
        {
            if (message.Type is "error" or "warning")
                Complaints.Add(message.Text);
        };
        Page.PageError += (_, error) => Complaints.Add(error);
        Page.Request += (_, request) => Requests.Add(new(request.Url));
        await Page.GotoAsync(new Uri(Address, "throttled").ToString());
        await Card("statements").WaitForAsync();
        await UntilAsync("statements", "lag", text => text == "0");
        await UntilAsync(Bank.Name, "following", text => int.Parse(text, CultureInfo.InvariantCulture) >= 201);
        if (withTrouble)
            await UntilAsync("balances", "dead", text => text == "1");
    }
}
