using System.Text.Json.Serialization;

namespace BankAccounts.Domain;

/// <summary>The events as JSON, by code that the compiler wrote.</summary>
[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingDefault)]
[JsonSerializable(typeof(AccountOpened))]
[JsonSerializable(typeof(AccountCredited))]
[JsonSerializable(typeof(AccountDebited))]
[JsonSerializable(typeof(AccountClosed))]
internal sealed partial class AccountJson : JsonSerializerContext;
