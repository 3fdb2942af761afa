using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace Throttled.AspNetCore.Tests.Documents;

/// <summary>Code of the documentation. It is compiled, and the test runs it.</summary>
public sealed class Snippets
{
    [Fact]
    public async Task The_page_behind_a_policy_is_mapped()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddAuthentication();
        builder.Services.AddAuthorizationBuilder().AddPolicy("ops", policy => policy.RequireRole("operator"));
        builder.Services.AddAntiforgery();
        await using var app = builder.Build();
        app.MapThrottled("/throttled", new() { AllowCommands = true }).RequireAuthorization("ops");
        var endpoints = ((IEndpointRouteBuilder)app).DataSources.SelectMany(source => source.Endpoints).ToList();
        Assert.True(endpoints.Count >= 8, "Hardly any endpoint was found.");
        Assert.All(endpoints, endpoint => Assert.Equal("ops", endpoint.Metadata.GetMetadata<IAuthorizeData>()?.Policy));
    }
}
