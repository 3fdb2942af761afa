using System.Data.Common;
using Throttled.AspNetCore.Status;

namespace Throttled.AspNetCore.Endpoints;

/// <summary>Runs a request on one of the read model databases. A failure gets a response with one sentence.</summary>
internal static class ReadModelCall
{
    /// <param name="readModels">The databases.</param>
    /// <param name="number">The number of the database, from 0, as in the status.</param>
    /// <param name="run">Runs the request.</param>
    internal static async Task<IResult> RunAsync(ReadModels readModels, int number, Func<ProjectionControl, Task<IResult>> run)
    {
        if (number < 0 || number >= readModels.Count)
            return Sentence(StatusCodes.Status404NotFound, FormattableString.Invariant($"'readModel' is {number}; read model databases of this process: {readModels.Count}. Reload the page."));
        try
        {
            return await run(readModels.ControlOf(number)).ConfigureAwait(false);
        }
        catch (ProjectionException error)
        {
            return Sentence(StatusCodes.Status409Conflict, error.Message);
        }
        catch (ArgumentException error)
        {
            return Sentence(StatusCodes.Status400BadRequest, error.Message);
        }
        catch (DbException error)
        {
            return Sentence(StatusCodes.Status503ServiceUnavailable, $"The read model database cannot be used: {error.Message}");
        }
    }

    internal static IResult Sentence(int status, string text) => TypedResults.Text(text, statusCode: status);
}
