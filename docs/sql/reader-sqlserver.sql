-- The least rights with which a reader works (SqlServerJournal.OpenReader and the Akka.NET plugin alike).
--
-- Run it in the journal's database once the tables are there, as their owner: sqlcmd -b -d app -i reader-sqlserver.sql.
-- The login has to be there; in Azure SQL Database, or in a contained database, a user with a password instead:
--     CREATE LOGIN journal_reader WITH PASSWORD = '…';
-- Change the names below to your own. Where tags stand in a column of the journal, there is no tag table, and its name does not matter.
-- Run it in each database of a sharded journal, once its writer has marked it: the table throttled_shards is then there.

DECLARE @reader sysname = N'journal_reader';
DECLARE @schema sysname = N'dbo';
DECLARE @journal sysname = N'journal';
DECLARE @tags sysname = N'tags';

DECLARE @sql nvarchar(max);
DECLARE @prefix nvarchar(300) = QUOTENAME(@schema) + N'.';

-- A user may connect to the database that it was created in.
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
-- Which shard this is, where the journal is divided among databases.
IF OBJECT_ID(@prefix + N'[throttled_shards]') IS NOT NULL
BEGIN
    SET @sql = N'GRANT SELECT ON ' + @prefix + N'[throttled_shards] TO ' + QUOTENAME(@reader);
    EXEC sp_executesql @sql;
END;

-- Optional: to see which transactions may still commit a missing ordering. Without it one is given up after 'GapTimeout',
-- and queries by tag begin only so long after the first query. Only an administrator of the server grants it.
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/sys-dm-tran-locks-transact-sql
-- SQL Server and Azure SQL Managed Instance, in master:
--     GRANT VIEW SERVER STATE TO journal_reader;               -- up to SQL Server 2019
--     GRANT VIEW SERVER PERFORMANCE STATE TO journal_reader;   -- from SQL Server 2022 on
-- Azure SQL Database, but for Basic, S0, S1 and elastic pools, in the journal's database:
--     GRANT VIEW DATABASE STATE TO journal_reader;
-- Azure SQL Database, any tier, in master, for a login journal_reader:
--     ALTER SERVER ROLE ##MS_ServerStateReader## ADD MEMBER journal_reader;
