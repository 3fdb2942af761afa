using Throttled.Journal.Tail;

namespace Throttled.Journal.Tests.Tail;

public sealed class FollowersTests
{
    private readonly FollowerIndex<Follower> _index = new();
    private readonly RoundList<Follower> _round = new();

    [Fact]
    public void Followers_of_a_key_stay_linked_wherever_one_leaves()
    {
        for (var leaver = 0; leaver < 3; leaver++)
        {
            List<Follower> followers = [new("a"), new("a"), new("a")];
            followers.ForEach(_index.Add);
            _index.Remove(followers[leaver]);
            followers.RemoveAt(leaver);
            Assert.Equal(followers.ToHashSet(), Chain("a").ToHashSet());
            followers.ForEach(_index.Remove);
            Assert.Null(_index.First("a"));
            Assert.Equal(0, _index.Count);
        }
    }

    [Fact]
    public void Keys_are_case_sensitive()
    {
        _index.Add(new("a"));
        Assert.Null(_index.First("A"));
    }

    [Fact]
    public void All_returns_the_followers_of_every_key()
    {
        List<Follower> followers = [new("a"), new("b"), new("a")];
        followers.ForEach(_index.Add);
        Assert.Equal(followers.ToHashSet(), _index.All().ToHashSet());
    }

    [Fact]
    public void A_follower_noted_several_times_is_notified_once_a_round()
    {
        var follower = new Follower("a");
        _round.Note(follower);
        _round.Note(follower);
        _round.End();
        _round.End();
        Assert.Equal(1, follower.Notified);
        _round.Note(follower);
        _round.End();
        Assert.Equal(2, follower.Notified);
    }

    private IEnumerable<Follower> Chain(string key)
    {
        for (var follower = _index.First(key); follower is not null; follower = follower.Next)
            yield return follower;
    }

    private sealed class Follower(string key) : IFollower<Follower>
    {
        public string Key => key;

        public Follower? Next { get; set; }

        public Follower? Previous { get; set; }

        public bool IsInRound { get; set; }

        internal int Notified { get; private set; }

        public void RoundEnded() => Notified++;

        public void End(Exception? failure) => Assert.Fail("Nothing ends it.");
    }
}
