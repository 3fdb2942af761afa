-- The index for queries by tag, if tags are in a table of their own (TagMode.TagTable).
--
-- The names are those of the layout sql-server. Replace the tag table's name by yours, with its schema. Run the script as the owner of the table.
--
-- Writers of tags wait while this statement builds the index. Enterprise Edition, Developer Edition and Azure SQL can build it while they continue:
--     CREATE INDEX tags_tag_ordering_idx ON dbo.tags (tag, ordering_id) WITH (ONLINE = ON);
-- https://learn.microsoft.com/sql/relational-databases/indexes/perform-index-operations-online
--
-- You do not need the index if the tag table is clustered by ordering_id and has an index on (tag), because each index ends with the clustering
-- key. The tables that Akka.Persistence.Sql creates (auto-initialize) are like that, and the reader does not ask for another index.

IF NOT EXISTS (SELECT * FROM sys.indexes WHERE object_id = OBJECT_ID(N'dbo.tags') AND name = N'tags_tag_ordering_idx')
    CREATE INDEX tags_tag_ordering_idx ON dbo.tags (tag, ordering_id);
