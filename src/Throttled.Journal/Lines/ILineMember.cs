namespace Throttled.Journal.Lines;

/// <summary>Something that can wait in one <see cref="Line{T}"/> at a time. The links are the queue's own.</summary>
internal interface ILineMember<T>
    where T : class, ILineMember<T>
{
    Line<T>? Line { get; set; }

    T? Before { get; set; }

    T? Behind { get; set; }
}
