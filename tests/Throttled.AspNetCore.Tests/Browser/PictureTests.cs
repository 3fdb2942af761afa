using Microsoft.Playwright;

namespace Throttled.AspNetCore.Tests.Browser;

/// <summary>Takes the pictures of the documentation, if the environment variable <c>THROTTLED_PICTURES</c> is 1.</summary>
[Trait("Category", "Long")]
public sealed class PictureTests(Chromium chromium) : IClassFixture<Chromium>
{
    private const string Variable = "THROTTLED_PICTURES";

    // As many reads as give the curves a shape.
    private const int Reads = 70;

    [PictureTheory]
    [InlineData("page", false, 1280)]
    [InlineData("page-trouble", true, 1280)]
    [InlineData("page-narrow", true, 390)]
    public async Task The_pictures_of_the_page_are_taken(string name, bool withTrouble, int width)
    {
        await using var bank = await BankPage.OpenAsync(chromium, width: width, withTrouble: withTrouble);
        await WriteAsync(bank);
        var isWhole = width > 1_000;
        if (withTrouble && isWhole)
        {
            foreach (var summary in await bank.Card("balances").Locator("summary").AllAsync())
                await summary.ClickAsync();
            await bank.Card("balances").GetByText("The account has no currency.").First.WaitForAsync();
        }
        await bank.Page.Locator("#freeze").ClickAsync();
        // Names of this machine and of this run do not belong into a picture, and it shows the page as it is while it is live.
        await bank.Page.EvaluateAsync(
            "name => { const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); while (walk.nextNode()) walk.currentNode.data = "
            + "walk.currentNode.data.replaceAll(name, 'bank').replace(/ on \\S+$/, ' on server-1').replace(/^\\S+-\\d+-[0-9a-f]{6}$/, 'server-1-4711-3f9a1c'); scrollTo(0, 0); "
            + "document.getElementById('freeze').ariaPressed = 'false'; document.getElementById('connection').textContent = 'Live'; document.getElementById('connection').className = 'live'; }",
            bank.Bank.Name);
        foreach (var (scheme, suffix) in new[] { (ColorScheme.Light, "light"), (ColorScheme.Dark, "dark") })
        {
            await bank.Page.EmulateMediaAsync(new() { ColorScheme = scheme });
            await bank.Page.ScreenshotAsync(new() { Path = Path.Combine(WorkingCopy.Root, "docs", "pictures", $"{name}-{suffix}.png"), FullPage = isWhole });
        }
    }

    // Waves of events, one a read.
    private static async Task WriteAsync(BankPage bank)
    {
        for (var read = 0; read < Reads; read++)
        {
            var before = await CountAsync(bank);
            var count = 6 + (int)(5 * Math.Sin(read / 6.0)) + Random.Shared.Next(3);
            await bank.Bank.AppendAsync([.. Enumerable.Range(0, 12).OrderBy(_ => Random.Shared.Next()).Take(count).Select(each => $"account-{each}")]);
            await Wait.UntilAsync(async () => await CountAsync(bank) != before, () => "the next read");
        }
    }

    private static async Task<int> CountAsync(BankPage bank) =>
        (await bank.Card(bank.Bank.Name).Locator("dd[data-key=following] polyline").GetAttributeAsync("points") ?? "").Split(' ').Length;

    [AttributeUsage(AttributeTargets.Method)]
    private sealed class PictureTheoryAttribute : TheoryAttribute
    {
        public PictureTheoryAttribute() => Skip =
            Environment.GetEnvironmentVariable(Variable) != "1" ? $"Pictures are taken only with {Variable}=1."
            : File.Exists(BrowserTests.Path) ? null : BrowserTests.SkipReason;
    }
}
