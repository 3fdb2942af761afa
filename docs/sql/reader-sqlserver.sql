-- The least rights of a reader: of SqlServerJournal.OpenReader and of the Akka.NET plugin.
--
-- Run the script in the journal's database when the tables exist, as their owner: sqlcmd -b -d app -i reader-sqlserver.sql.
-- The login must exist. In Azure SQL Database, or in a contained database, create a user with a password instead:
--     CREATE LOGIN journal_reader WITH PASSWORD = '…';
-- Replace the names below by yours. If tags are in a column of the journal, there is no tag table, and its name has no effect.
-- For a sharded journal, run the script in each database after its writer has marked it. The table throttled_shards then exists.

DECLARE @reader sysname = N'journal_reader';
DECLARE @schema sysname = N'dbo';
DECLARE @journal sysname = N'journal';
DECLARE @tags sysname = N'tags';

DECLARE @sql nvarchar(max);
DECLARE @prefix nvarchar(300) = QUOTENAME(@schema) + N'.';

-- A user may connect to the database in which it was created.
IF DATABASE_PRINCIPAL_ID(@reader) IS NULL
BEGIN
    SET @sql = N'CREATE USER ' + QUOTENAME(@reader) + N' FOR LOGIN ' + QUOTENAME(@reader);
    EXEC sp_executesql @sql;
END;
SET @sql = N'GRANT SELECT ON ' + @prefix + QUOTENAME(@journal) + N' TO ' + QUOTENAME(@reader);
EXEC sp_executesql @sql;
IF OBJECT_ID(@prefix + QUOTENAME(@tags)) IS NOT NULL
BEGIN
    SET @sql = N'GRANT SELECT ON ' + @prefix + QUOTENAME(@tags) + N' TO ' + QUOTENAME(@reader);
    EXEC sp_executesql @sql;
END;
-- Of a sharded journal: the mark, which says which shard this is.
IF OBJECT_ID(@prefix + N'[throttled_shards]') IS NOT NULL
BEGIN
    SET @sql = N'GRANT SELECT ON ' + @prefix + N'[throttled_shards] TO ' + QUOTENAME(@reader);
    EXEC sp_executesql @sql;
END;

-- Optional: with this right, a reader sees which transactions may still commit a missing ordering. Without it, queries skip a missing ordering
-- after 'GapTimeout', and queries by tag begin that long after the first query. Only an administrator of the server can grant it.
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-tran-locks-transact-sql
-- SQL Server and Azure SQL Managed Instance, in master:
--     GRANT VIEW SERVER STATE TO journal_reader;               -- up to SQL Server 2019
--     GRANT VIEW SERVER PERFORMANCE STATE TO journal_reader;   -- from SQL Server 2022 on
-- Azure SQL Database, except Basic, S0, S1 and elastic pools, in the journal's database:
--     GRANT VIEW DATABASE STATE TO journal_reader;
-- Azure SQL Database, any tier, in master, for a login journal_reader:
--     ALTER SERVER ROLE ##MS_ServerStateReader## ADD MEMBER journal_reader;
