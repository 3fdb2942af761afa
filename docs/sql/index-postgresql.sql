-- The index for queries by tag, if tags are in a table of their own (TagMode.TagTable). Akka.Persistence.Sql does not create it.
--
-- The names are those of the layouts default, postgresql and mysql. Replace the tag table's name by yours, with its schema: in the layout
-- postgresql it is public.tags, in sql-server dbo.tags. Run the script outside of a transaction, as the owner of the table.
--
-- Writers continue while the index is built. PostgreSQL reads the table twice. Each time, it first waits for the transactions that were open
-- when it began. If it fails, it leaves an invalid index: no query uses it, but it slows down writers. Drop that index with
-- DROP INDEX CONCURRENTLY, and run the script again. https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY

CREATE INDEX CONCURRENTLY IF NOT EXISTS tags_tag_ordering_idx ON tags (tag, ordering_id);

ANALYZE tags;
