using System.Data.Common;
using Throttled.AspNetCore.Status;

namespace Throttled.AspNetCore.Endpoints;

/// <summary>Runs a request on one of the read model databases. A failure gets a response that says why.</summary>
internal static class ReadModelCall
{
    /// <param name="readModels">The databases.</param>
    /// <param name="number">The number of the database, from 0, as in the status.</param>
    /// <param name="run">Runs the request.</param>
    /// <param name="origin">The user who gives a command; null if the request only reads.</param>
    internal static async Task<IResult> RunAsync(ReadModels readModels, int number, Func<ProjectionControl, Task<IResult>> run, CommandOrigin? origin = null)
    {
        if (number < 0 || number >= readModels.Count)
            return Refusal(StatusCodes.Status404NotFound, FormattableString.Invariant($"'readModel' is {number}; read model databases of this process: {readModels.Count}. Reload the page."));
        try
        {
            return await run(readModels.ControlOf(number, origin)).ConfigureAwait(false);
        }
        catch (ProjectionException error)
        {
            return Refusal(StatusCodes.Status409Conflict, error.Message);
        }
        catch (ArgumentException error)
        {
            return Refusal(StatusCodes.Status400BadRequest, error.Message);
        }
        catch (DbException error)
        {
            return Refusal(StatusCodes.Status503ServiceUnavailable, $"The read model database cannot be used: {error.Message}");
        }
    }

    /// <param name="status">The status code.</param>
    /// <param name="reason">A sentence that names what was wrong, and the remedy.</param>
    internal static IResult Refusal(int status, string reason) => TypedResults.Problem(reason, statusCode: status);
}
