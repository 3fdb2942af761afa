-- What the statements use of SQL Server's own views, functions and procedures, with the types that Microsoft's documentation gives them:
-- https://learn.microsoft.com/sql/relational-databases/system-catalog-views/catalog-views-transact-sql
-- https://learn.microsoft.com/sql/relational-databases/system-dynamic-management-views/system-dynamic-management-views
-- All are there from SQL Server 2016 on. A test says that nothing else is used, and one that runs on SQL Server that it has them.

CREATE TABLE sys.columns (object_id INT, name NVARCHAR(128), system_type_id TINYINT, collation_name NVARCHAR(128), is_identity BIT);
GO
CREATE TABLE sys.databases (name NVARCHAR(128), create_date DATETIME, compatibility_level TINYINT, is_read_committed_snapshot_on BIT);
GO
CREATE TABLE sys.identity_columns (object_id INT, name NVARCHAR(128), last_value SQL_VARIANT);
GO
CREATE TABLE sys.index_columns (object_id INT, index_id INT, column_id INT, key_ordinal TINYINT);
GO
CREATE TABLE sys.indexes (object_id INT, name NVARCHAR(128), index_id INT, type TINYINT, is_disabled BIT, has_filter BIT);
GO
CREATE TABLE sys.objects (object_id INT, type CHAR(2));
GO
CREATE TABLE sys.dm_exec_connections (session_id INT, parent_connection_id UNIQUEIDENTIFIER, most_recent_sql_handle VARBINARY(64));
GO
CREATE TABLE sys.dm_exec_requests (session_id SMALLINT);
GO
CREATE TABLE sys.dm_exec_sessions (session_id SMALLINT, login_time DATETIME, program_name NVARCHAR(128), login_name NVARCHAR(128), status NVARCHAR(30));
GO
CREATE TABLE sys.dm_tran_active_transactions (transaction_id BIGINT, transaction_begin_time DATETIME);
GO
CREATE TABLE sys.dm_tran_locks (
    resource_type NVARCHAR(60), resource_database_id INT, resource_associated_entity_id BIGINT, request_mode NVARCHAR(60), request_owner_id BIGINT);
GO
CREATE TABLE sys.dm_tran_session_transactions (session_id INT, transaction_id BIGINT);
GO
CREATE FUNCTION sys.dm_exec_sql_text (@handle VARBINARY(64)) RETURNS TABLE AS RETURN SELECT N'' AS text;
GO
CREATE PROCEDURE dbo.sp_getapplock @Resource NVARCHAR(255), @LockMode VARCHAR(32), @LockOwner VARCHAR(32) AS RETURN 0;
GO
CREATE PROCEDURE dbo.sp_executesql @stmt NVARCHAR(MAX) AS RETURN 0;
