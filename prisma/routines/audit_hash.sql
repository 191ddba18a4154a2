-- SHA-256 over the hash before it and everything an entry says, in a fixed form. server/modules/audit/verify-chain.ts
-- computes the same on its own.
CREATE OR REPLACE FUNCTION audit_hash(p_previous bytea, p_seq bigint, e audit_entry) RETURNS bytea
  LANGUAGE sql STABLE AS $$
  SELECT sha256(p_previous || convert_to(json_build_array(p_seq, e.id, e.account_id, e.actor, e.actor_email, e.action,
    e.subject,
    e.before::text, e.after::text, to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text,
      'UTF8'))
$$;
