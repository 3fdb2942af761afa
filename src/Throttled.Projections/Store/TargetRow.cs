namespace Throttled.Projections.Store;

/// <summary>One read model of a projection; one row of the projection table.</summary>
/// <param name="Target">Its name.</param>
/// <param name="Name">The projection's.</param>
/// <param name="Role">Whether it is the one that is read.</param>
/// <param name="Source">What is read of the journal, as <see cref="ProjectionSource.ToString"/> says it.</param>
/// <param name="Lanes">How many lanes it has.</param>
/// <param name="Epoch">Which layout of the lanes it is: the first is the Unix time of its making in ms, each later one 1 above.</param>
/// <param name="IsPaused">Whether it stands still because somebody said so.</param>
/// <param name="Resumes">How often it was resumed: lanes that failed before are tried again.</param>
/// <param name="Head">The end of the journal as it was seen last; 0 where it was not.</param>
internal sealed record TargetRow(
    string Target, string Name, TargetRole Role, string Source, int Lanes, long Epoch, bool IsPaused, long Resumes, long Head);
