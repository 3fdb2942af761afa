-- Wakes readers of a journal as soon as events are committed, instead of at their next poll (JournalOptions.Notify).
--
-- What it costs: PostgreSQL hands notifications out in the order of commits, for which every transaction that notifies takes
-- one lock of the whole cluster while it commits. Appends then commit one after the other; measure before you install it on
-- a journal with many writers. It is a trigger per statement, so that an append of many events notifies once, and equal
-- notifications of one transaction are sent once: https://www.postgresql.org/docs/current/sql-notify.html
--
-- Change the table's name to your own, schema and all. The payload is the name of the table.

CREATE OR REPLACE FUNCTION throttled_journal_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('throttled_journal', TG_TABLE_NAME);
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS throttled_journal_notify ON journal;

CREATE TRIGGER throttled_journal_notify AFTER INSERT ON journal
    FOR EACH STATEMENT EXECUTE FUNCTION throttled_journal_notify();
