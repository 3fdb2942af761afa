using Throttled.Journal.Sql;

namespace Throttled.Journal.Pages;

/// <summary>Asks for persistence ids.</summary>
internal interface IIdsRequest
{
    /// <summary>The id behind which to read on, requested just before the statement starts; null for the first.</summary>
    string? Start();

    /// <inheritdoc cref="IByIdRequest.Read"/>
    void Read(IdsRead read);
}
