using Microsoft.Playwright;

namespace Throttled.AspNetCore.Tests.Browser;

/// <summary>One browser for all tests of a class.</summary>
public sealed class Chromium : IAsyncLifetime
{
    private IPlaywright? _playwright;
    private IBrowser? _browser;

    // Only if a test needs it: without a browser, the tests are skipped, but this is created all the same.
    internal async Task<IBrowserContext> OpenAsync(ColorScheme scheme = ColorScheme.Light, int width = 1280, int height = 900)
    {
        _playwright ??= await Playwright.CreateAsync();
        _browser ??= await _playwright.Chromium.LaunchAsync(new() { ExecutablePath = BrowserTests.Path });
        var context = await _browser.NewContextAsync(new()
        {
            ColorScheme = scheme,
            ViewportSize = new() { Width = width, Height = height },
            ReducedMotion = ReducedMotion.Reduce,
        });
        context.SetDefaultTimeout(60_000);
        return context;
    }

    /// <inheritdoc/>
    public Task InitializeAsync() => Task.CompletedTask;

    /// <inheritdoc/>
    public async Task DisposeAsync()
    {
        await (_browser?.DisposeAsync() ?? default);
        _playwright?.Dispose();
    }
}
