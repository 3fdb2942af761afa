-- Wakes the readers of a journal when events are committed. Without it they wait for their next poll (JournalOptions.Notify).
--
-- The price: PostgreSQL sends notifications in the order of commits. So each transaction that notifies takes one lock of the whole server
-- while it commits, and commits wait for one another. Measure before you install the trigger on a journal with many writers. The trigger runs
-- once for each statement, so an append of many events notifies once. PostgreSQL sends equal notifications of one transaction once:
-- https://www.postgresql.org/docs/current/sql-notify.html
--
-- Replace the table's name by yours, with its schema. The payload of a notification is the name of the table.

CREATE OR REPLACE FUNCTION throttled_journal_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('throttled_journal', TG_TABLE_NAME);
    RETURN NULL;
END $$;

DROP TRIGGER IF EXISTS throttled_journal_notify ON journal;

CREATE TRIGGER throttled_journal_notify AFTER INSERT ON journal
    FOR EACH STATEMENT EXECUTE FUNCTION throttled_journal_notify();
