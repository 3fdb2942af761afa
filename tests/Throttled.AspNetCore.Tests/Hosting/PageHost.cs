using System.Net;
using System.Security.Claims;
using System.Text.Encodings.Web;
using System.Text.Json;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Throttled.AspNetCore.Tests.Hosting;

/// <summary>An application with the page, on a port of this machine. A request may say from which address it comes.</summary>
internal sealed class PageHost : IAsyncDisposable
{
    internal const string From = "X-Test-From";
    internal const string User = "X-Test-User";

    private PageHost(WebApplication app) => App = app;

    internal WebApplication App { get; }

    internal Uri Address => new(App.Urls.First());

    internal HttpClient Client { get; } = new(new HttpClientHandler { AllowAutoRedirect = false });

    /// <param name="services">Adds services.</param>
    /// <param name="options">The options of the page.</param>
    /// <param name="group">Changes the group, for example by a policy.</param>
    internal static async Task<PageHost> StartAsync(
        Action<IServiceCollection>? services = null, ThrottledPageOptions? options = null, Action<RouteGroupBuilder>? group = null)
    {
        var builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { ApplicationName = "Bank" });
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.Services.AddAntiforgery();
        builder.Services.AddAuthentication("test").AddScheme<AuthenticationSchemeOptions, ByHeader>("test", _ => { });
        builder.Services.AddAuthorizationBuilder().AddPolicy("ops", policy => policy.RequireAuthenticatedUser());
        services?.Invoke(builder.Services);
        var app = builder.Build();
        app.Use(async (context, next) =>
        {
            if (context.Request.Headers[From].ToString() is { Length: > 0 } from)
                context.Connection.RemoteIpAddress = from == "none" ? null : IPAddress.Parse(from);
            try
            {
                await next(context);
            }
            catch (Exception error) when (!context.Response.HasStarted && error is not OperationCanceledException)
            {
                // So that a test that fails says why.
                context.Response.StatusCode = StatusCodes.Status500InternalServerError;
                await context.Response.WriteAsync($"{error}");
            }
        });
        var page = app.MapThrottled(options: options);
        group?.Invoke(page);
        await app.StartAsync();
        var host = new PageHost(app);
        host.Client.BaseAddress = host.Address;
        return host;
    }

    internal async Task<(int Status, string Text, HttpResponseMessage Answer)> GetAsync(string path, params (string Name, string Value)[] headers)
    {
        using var request = new HttpRequestMessage(HttpMethod.Get, path);
        foreach (var (name, value) in headers)
            request.Headers.TryAddWithoutValidation(name, value);
        var answer = await Client.SendAsync(request);
        return ((int)answer.StatusCode, await answer.Content.ReadAsStringAsync(), answer);
    }

    /// <summary>Why a request was refused.</summary>
    internal static async Task<string> ReasonAsync(HttpResponseMessage answer)
    {
        Assert.Equal("application/problem+json", answer.Content.Headers.ContentType?.MediaType);
        return JsonDocument.Parse(await answer.Content.ReadAsStringAsync()).RootElement.GetProperty("detail").GetString()!;
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        await App.DisposeAsync();
    }

    /// <summary>The user is whom a header names.</summary>
    private sealed class ByHeader(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory log, UrlEncoder encoder)
        : AuthenticationHandler<AuthenticationSchemeOptions>(options, log, encoder)
    {
        protected override Task<AuthenticateResult> HandleAuthenticateAsync() => Task.FromResult(
            Request.Headers[User].ToString() is { Length: > 0 } name
                ? AuthenticateResult.Success(new(new(new ClaimsIdentity([new(ClaimTypes.Name, name)], "test")), "test"))
                : AuthenticateResult.NoResult());
    }
}
