namespace Throttled.Projections.Tests.Model;

public sealed class ProjectionOptionsTests
{
    private static readonly ProjectionOptions Given = new() { Name = "balances" };

    public static TheoryData<string, ProjectionOptions> Refused => new()
    {
        { "'Name' is \"\"; it must be a name.", Given with { Name = "" } },
        { "'Name' is \"\"; it must be a name.", Given with { Name = null! } },
        { "'Name' is \"a\0b\"; it must be a name.", Given with { Name = "a\0b" } },
        { "'Name' has 201 characters; it must have from 1 to 200. Choose a shorter one.", Given with { Name = new('n', 201) } },
        { "'Name' is \"\ud83d\", which has half of a surrogate pair; it must be whole characters. Correct it.", Given with { Name = "\ud83d" } },
        { "'Name' is \"orders \", which ends in a blank. Choose another one.", Given with { Name = "orders " } },
        { "'Name' is \"#orders\", which begins with '#'. Choose another one.", Given with { Name = "#orders" } },
        { "'ProcessName' of the projection 'balances' is \"\"; it must be a name. Leave it out for the default.", Given with { ProcessName = "" } },
        { "'ProcessName' of the projection 'balances' has 201 characters; it must have from 1 to 200. Choose a shorter one.", Given with { ProcessName = new('p', 201) } },
        { "'Source' of the projection 'balances' is null; leave it out for its default.", Given with { Source = null! } },
        { "'StartAt' of the projection 'balances' is null; leave it out for its default.", Given with { StartAt = null! } },
        { "'TimeProvider' of the projection 'balances' is null; leave it out for its default.", Given with { TimeProvider = null! } },
        { "'LaneOwnership' of the projection 'balances' is null; leave it out for its default.", Given with { LaneOwnership = null! } },
        { "'Lanes' of the projection 'balances' is 0; it must be from 1 to 1024.", Given with { Lanes = 0 } },
        { "'Lanes' of the projection 'balances' is 1025; it must be from 1 to 1024.", Given with { Lanes = 1025 } },
        {
            "'Lanes' of the projection 'balances' is 5; it must be at most 4, the slices of 'Source' (slices:10-13).",
            Given with { Lanes = 5, Source = ProjectionSource.BySlices(10, 13) }
        },
        { "'BatchSize' of the projection 'balances' is 0; it must be from 1 to 100000.", Given with { BatchSize = 0 } },
        { "'BatchSize' of the projection 'balances' is 100001; it must be from 1 to 100000.", Given with { BatchSize = 100_001 } },
        { "'BatchAge' of the projection 'balances' is -1 s; it must be from 0 s to 1 min.", Given with { BatchAge = TimeSpan.FromSeconds(-1) } },
        { "'BatchAge' of the projection 'balances' is 61 s; it must be from 0 s to 1 min.", Given with { BatchAge = TimeSpan.FromSeconds(61) } },
        { "'MaxBufferedBytes' of the projection 'balances' is 0; it must be at least 1.", Given with { MaxBufferedBytes = 0 } },
        { "'OnFailure' of the projection 'balances' is 7; it must be one of Stop, Skip, DeadLetter.", Given with { OnFailure = (FailurePolicy)7 } },
        { "'MaxAttempts' of the projection 'balances' is 0; it must be from 1 to 1000.", Given with { MaxAttempts = 0 } },
        { "'MaxAttempts' of the projection 'balances' is 1001; it must be from 1 to 1000.", Given with { MaxAttempts = 1_001 } },
        { "'MaxDeadLetters' of the projection 'balances' is 0; it must be at least 1.", Given with { MaxDeadLetters = 0 } },
        { "'LeaseDuration' of the projection 'balances' is 0 s; it must be from 1 s to 1 h.", Given with { LeaseDuration = TimeSpan.Zero } },
        { "'LeaseDuration' of the projection 'balances' is 2 h; it must be from 1 s to 1 h.", Given with { LeaseDuration = TimeSpan.FromHours(2) } },
    };

    public static TheoryData<ProjectionOptions> Allowed =>
    [
        Given,
        Given with { Name = new('n', 200), ProcessName = "p" },
        Given with { Lanes = 4, Source = ProjectionSource.BySlices(10, 13) },
        Given with { Lanes = 1_024, BatchSize = 100_000, BatchAge = TimeSpan.FromMinutes(1), MaxAttempts = 1_000, LeaseDuration = TimeSpan.FromHours(1) },
        Given with { Lanes = 1, BatchSize = 1, BatchAge = TimeSpan.Zero, MaxBufferedBytes = 1, MaxAttempts = 1, MaxDeadLetters = 1, LeaseDuration = TimeSpan.FromSeconds(1) },
    ];

    [Theory]
    [MemberData(nameof(Refused))]
    public void A_value_out_of_its_range_is_refused(string message, ProjectionOptions options) =>
        Assert.Equal(message, Assert.Throws<ArgumentException>(options.Validate).Message);

    [Theory]
    [MemberData(nameof(Allowed))]
    public void A_value_in_its_range_is_allowed(ProjectionOptions options) => Assert.Null(Record.Exception(options.Validate));
}
