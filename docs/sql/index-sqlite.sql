-- The index that reading by tag needs where tags stand in a table (TagMode.TagTable). Akka.Persistence.Sql does not create it.
--
-- Change the tag table's name to your own; it is tags in every layout. SQLite has one writer at a time: while the index is built, which
-- takes about half a second for each million tags in memory, nobody else writes. In WAL mode readers go on.

CREATE INDEX IF NOT EXISTS tags_tag_ordering_idx ON tags (tag, ordering_id);
