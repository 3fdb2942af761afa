using System.Data.Common;
using Throttled.AspNetCore.Looks;

namespace Throttled.AspNetCore.Endpoints;

/// <summary>A request to one of the read model databases. What fails is answered with a sentence.</summary>
internal static class ReadModelCall
{
    /// <param name="readModels">The databases.</param>
    /// <param name="number">The number of the database, from 0, as in the status.</param>
    /// <param name="run">Does what is asked for.</param>
    internal static async Task<IResult> RunAsync(ReadModels readModels, int number, Func<ProjectionControl, Task<IResult>> run)
    {
        if (number < 0 || number >= readModels.Count)
            return Sentence(StatusCodes.Status404NotFound, FormattableString.Invariant($"'readModel' is {number}; this process has {readModels.Count} read model databases. Reload the page."));
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
