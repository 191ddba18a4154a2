-- Bytes of texts, events and audit entries of each account. Triggers add them (prisma/routines/count_*.sql); what was
-- there before is counted by the job `storage.count`, once for each account.
CREATE TABLE record_count (
  id BIGSERIAL NOT NULL,
  account_id TEXT NOT NULL,
  metadata_bytes BIGINT NOT NULL DEFAULT 0,
  event_bytes BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT record_count_pkey PRIMARY KEY (id)
);
CREATE INDEX record_count_account_id_idx ON record_count (account_id);
ALTER TABLE account ADD COLUMN records_counted_at TIMESTAMPTZ(3);
ALTER TABLE audit_chain ADD COLUMN bytes BIGINT NOT NULL DEFAULT 0, ADD COLUMN day DATE,
  ADD COLUMN day_bytes BIGINT NOT NULL DEFAULT 0;
-- An estimate: reading all entries would hold the chains, and with them every change, for minutes.
UPDATE audit_chain SET bytes = entries * 700;
