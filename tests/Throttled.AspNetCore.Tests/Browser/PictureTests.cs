using System.Globalization;
using Deque.AxeCore.Commons;
using Deque.AxeCore.Playwright;
using Microsoft.Playwright;

namespace Throttled.AspNetCore.Tests.Browser;

/// <summary>Takes the pictures of the documentation, and writes the report of axe, if the environment variable <c>THROTTLED_PICTURES</c> is 1.</summary>
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
            await bank.OpenDetailsAsync();
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

    [PictureFact]
    public async Task The_report_of_axe_is_written()
    {
        List<AxeResult> results = [];
        List<string> rows = [];
        foreach (var (view, withTrouble, width) in new[] { ("all is well", false, 1280), ("with trouble, details open", true, 1280), ("with trouble, details open, telephone", true, 390) })
        {
            await using var bank = await BankPage.OpenAsync(chromium, width: width, withTrouble: withTrouble);
            if (withTrouble)
                await bank.OpenDetailsAsync();
            // The page must not change while axe looks at it.
            await bank.Page.Locator("#freeze").ClickAsync();
            foreach (var scheme in new[] { ColorScheme.Light, ColorScheme.Dark })
            {
                await bank.Page.EmulateMediaAsync(new() { ColorScheme = scheme });
                var result = await bank.Page.RunAxe();
                results.Add(result);
                rows.Add(string.Create(
                    CultureInfo.InvariantCulture, $"| {view} | {scheme.ToString().ToLowerInvariant()} | {result.Passes.Length} | {Ids(result.Violations)} | {Ids(result.Incomplete)} |"));
            }
        }
        await File.WriteAllTextAsync(Path.Combine(WorkingCopy.Root, "docs", "operating", "page-axe.md"), Report(results, rows));
    }

    private static string Report(List<AxeResult> results, List<string> rows) =>
        $"""
        # The page, checked by axe

        A test writes this report when it takes [the pictures of the page](page.md#the-pictures). The test runs {results[0].TestEngine.Name} {results[0].TestEngine.Version} with all rules in Chromium.

        | view | screen | rules passed | rules violated | to be checked by eye |
        |---|---|---:|---|---|
        {string.Join('\n', rows)}

        In at least one view, these rules passed:

        {string.Join('\n', results.SelectMany(each => each.Passes).Select(rule => rule.Id).Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal).Chunk(5).Select(ids => $"- {string.Join(", ", ids)}"))}

        """;

    private static string Ids(AxeResultItem[] rules) =>
        rules.Length == 0 ? "none" : string.Join(", ", rules.Select(rule => $"`{rule.Id}`").Distinct(StringComparer.Ordinal).Order(StringComparer.Ordinal));

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

    private static string? SkipReason =>
        Environment.GetEnvironmentVariable(Variable) != "1" ? $"Pictures are taken only with {Variable}=1."
        : File.Exists(BrowserTests.Path) ? null : BrowserTests.SkipReason;

    [AttributeUsage(AttributeTargets.Method)]
    private sealed class PictureTheoryAttribute : TheoryAttribute
    {
        public PictureTheoryAttribute() => Skip = SkipReason;
    }

    [AttributeUsage(AttributeTargets.Method)]
    private sealed class PictureFactAttribute : FactAttribute
    {
        public PictureFactAttribute() => Skip = SkipReason;
    }
}
