-- The index that reading by tag needs where tags stand in a table (TagMode.TagTable). Akka.Persistence.Sql does not create it.
--
-- Names are those of the layouts default, postgresql and mysql. Change the tag table's name to your own, schema and all: with the layout
-- postgresql it is public.tags, with sql-server dbo.tags. Run it outside of a transaction, by the owner of the table.
--
-- Nobody is locked out: writers go on while it is built, in two passes over the table, each of which waits for the transactions that were
-- open when it began. Where it fails it leaves an index that is not valid, which no query uses and every writer pays for: drop that by
-- DROP INDEX CONCURRENTLY, and begin again. https://www.postgresql.org/docs/current/sql-createindex.html#SQL-CREATEINDEX-CONCURRENTLY

CREATE INDEX CONCURRENTLY IF NOT EXISTS tags_tag_ordering_idx ON tags (tag, ordering_id);

ANALYZE tags;
