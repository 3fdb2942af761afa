-- The index for queries by tag, if tags are in a table of their own (TagMode.TagTable). Akka.Persistence.Sql does not create it.
--
-- Replace the tag table's name by yours; it is tags in every layout. SQLite has one writer at a time, so no other process writes while the
-- index is built. This takes about half a second for each million tags in memory. In WAL mode, readers continue.

CREATE INDEX IF NOT EXISTS tags_tag_ordering_idx ON tags (tag, ordering_id);
