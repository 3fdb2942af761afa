-- The index that reading by tag needs where tags stand in a table (TagMode.TagTable).
--
-- Names are those of the layout sql-server. Change the tag table's name to your own, schema and all. Run it by the owner of the table.
--
-- As it stands, writers of tags wait while it is built. Enterprise and Developer Edition and Azure SQL build it beside them:
--     CREATE INDEX tags_tag_ordering_idx ON dbo.tags (tag, ordering_id) WITH (ONLINE = ON);
-- https://learn.microsoft.com/sql/relational-databases/indexes/perform-index-operations-online
--
-- It is not needed where the tag table is clustered by ordering_id and has an index on (tag), which then ends with ordering_id by itself:
-- so it is with Akka.Persistence.Sql's auto-initialize, and the reader asks for no other.

IF NOT EXISTS (SELECT * FROM sys.indexes WHERE object_id = OBJECT_ID(N'dbo.tags') AND name = N'tags_tag_ordering_idx')
    CREATE INDEX tags_tag_ordering_idx ON dbo.tags (tag, ordering_id);
