using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Throttled.Projections.Tests.Effects;

/// <summary>
/// An HTTP server of receipts that fails at random, before or after it has done the work. It drops requests whose key it knows. Each request whose key is
/// new is an effect.
/// </summary>
internal sealed class FlakyApi : IAsyncDisposable
{
    /// <summary>The header of an answer that the client takes for one that came too late.</summary>
    internal const string Slow = "X-Slow";

    private readonly Lock _lock = new();
    private readonly Random _random;
    private readonly bool _hasMemory;
    private readonly WebApplication _app;
    private readonly Dictionary<string, string> _effects = [];

    private FlakyApi(int seed, bool hasMemory)
    {
        (_random, _hasMemory) = (new(seed), hasMemory);
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        _app = builder.Build();
        _app.MapPost("/receipts", AnswerAsync);
    }

    private enum Fault
    {
        None,
        RefusesBefore,
        RefusesAfter,
        DropsBefore,
        DropsAfter,
        SlowAfter,
    }

    internal Uri Address => new(_app.Urls.Single());

    /// <summary>The number of requests, and of those whose work had been done before.</summary>
    internal (int All, int Repeated) Requests { get; private set; }

    /// <summary>The effects, as <c>account:cents</c>.</summary>
    internal IReadOnlyList<string> Effects
    {
        get
        {
            lock (_lock)
                return [.. _effects.Values.Order(StringComparer.Ordinal)];
        }
    }

    /// <param name="seed">Of its faults.</param>
    /// <param name="hasMemory">Whether it drops repetitions.</param>
    internal static async Task<FlakyApi> StartAsync(int seed, bool hasMemory)
    {
        var api = new FlakyApi(seed, hasMemory);
        await api._app.StartAsync();
        return api;
    }

    public ValueTask DisposeAsync() => _app.DisposeAsync();

    private async Task AnswerAsync(HttpContext context)
    {
        var receipt = (await context.Request.ReadFromJsonAsync<Receipt>())!;
        var fault = Work($"{context.Request.Headers["Idempotency-Key"]}", $"{receipt.Account}:{receipt.Cents}");
        if (fault is Fault.DropsBefore or Fault.DropsAfter)
            context.Abort();
        context.Response.StatusCode = (int)(fault is Fault.RefusesBefore or Fault.RefusesAfter ? HttpStatusCode.InternalServerError : HttpStatusCode.OK);
        if (fault == Fault.SlowAfter)
            context.Response.Headers[Slow] = "yes";
    }

    private Fault Work(string key, string effect)
    {
        lock (_lock)
        {
            var fault = _random.Next(3) == 0 ? (Fault)_random.Next(1, 6) : Fault.None;
            var isDone = _effects.ContainsKey(key);
            Requests = (Requests.All + 1, Requests.Repeated + (isDone ? 1 : 0));
            if (fault is not (Fault.RefusesBefore or Fault.DropsBefore))
                _effects[isDone && !_hasMemory ? $"{key} {Requests.All}" : key] = effect;
            return fault;
        }
    }

    private sealed record Receipt(string Account, long Cents);
}

/// <summary>A client whose time-out passes when the server says so.</summary>
internal sealed class ImpatientHandler() : DelegatingHandler(new SocketsHttpHandler())
{
    protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
    {
        var response = await base.SendAsync(request, cancellationToken);
        if (!response.Headers.Contains(FlakyApi.Slow))
            return response;
        response.Dispose();
        // As HttpClient reports it.
        throw new TaskCanceledException("The request was canceled due to the configured HttpClient.Timeout.", new TimeoutException());
    }
}
