namespace Throttled.Journal.Queries;

/// <summary>
/// One run of a query as its reader sees it: each demand is answered by a page, the end or a failure. Called from any thread, and one demand at a
/// time.
/// </summary>
internal interface IFeed<in T>
    where T : class
{
    /// <summary>The reader has used up what it had and wants an answer: a page, the end or a failure.</summary>
    void Demand();

    /// <summary>As <see cref="Demand"/>, where the reader's page was forgotten before it came to its end.</summary>
    /// <param name="last">The last item that it has read.</param>
    void DemandAfter(T last);

    /// <summary>The reader leaves; a demand that was not answered is answered with this. Harmless when done twice.</summary>
    /// <param name="failure">What to answer; null for the end.</param>
    void Close(Exception? failure = null);
}
