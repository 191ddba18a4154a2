import { defaultLimit } from '../../identity/accounts/limit.ts'
import { isActiveKey } from '../keys/active.ts'
import { CHAIN } from '../keys/end-key.ts'
import { quotaTerms } from '../quotas/daily-quota.ts'

/** A threshold that was reached but not yet reported. */
export interface Reached {
  account_id: string
  account_name: string
  kind: 'quota' | 'spend' | 'storage' | 'storageBytes'
  /** Percent, micro-credits or bytes. */
  threshold: bigint
  /** Tokens, micro-credits or bytes. `most` is the limit, null if there is none. */
  used: bigint
  most: bigint | null
  /** Set for a quota. */
  key_id: string | null
  key_prefix: string | null
  key_name: string | null
  /** End of the UTC day of a quota. */
  reset_at: Date
  /** UTC month of spending: `2026-11`. */
  month: string
}

/** Parameters of `REPORT`: the default storage limit, the batch size, and the terms of the daily quota. */
export const reportValues = (batch: number) => [defaultLimit('storageBytes'), batch, quotaTerms()]

const IS_OF_THRESHOLD = `notice.dedupe_key LIKE ANY (ARRAY['quota:%', 'spend:%', 'storage:%'])`

/**
 * Notes reached thresholds, and returns the new ones, at most $2. Removes notes of thresholds that are no longer reached (the value fell,
 * the period ended or the threshold changed), so that they are reported again. Keys of one rotation count together, under the newest. A key
 * that no longer works keeps its notes until the day ends.
 */
export const REPORT = `
  WITH clock AS MATERIALIZED (
    SELECT now, now AT TIME ZONE 'UTC' AS utc, date_trunc('day', now, 'UTC') + interval '1 day' AS reset_at FROM service_now() AS now),
  setting AS MATERIALIZED (
    SELECT id AS account_id, name, alert_quota_percents, alert_spend_micro, alert_storage_percents, alert_storage_bytes FROM account
    WHERE deleted_at IS NULL AND cardinality(alert_quota_percents) + cardinality(alert_spend_micro) + cardinality(alert_storage_percents)
      + cardinality(alert_storage_bytes) > 0),
  quota AS (
    SELECT DISTINCT ON (k.account_id, ${CHAIN}) k.account_id, ${CHAIN} AS quota_group, k.id, k.prefix, k.name,
      ${isActiveKey('service_now()')} AS is_active, q.issued AS used, q.daily_limit AS most
    FROM setting a JOIN api_key k USING (account_id) JOIN key_quota($3::jsonb) q ON q.key_id = k.id
    WHERE cardinality(a.alert_quota_percents) > 0 AND k.environment = 'LIVE' AND NOT k.suspended
    ORDER BY k.account_id, ${CHAIN}, k.created_at DESC, k.id),
  stored AS (
    SELECT account_id, sum(original_bytes + rendition_bytes + unfinished_bytes)::bigint AS used,
      COALESCE((SELECT value FROM account_limit l WHERE l.account_id = storage_count.account_id AND l.name = 'storageBytes'), $1::bigint) AS most
    FROM storage_count JOIN setting USING (account_id) GROUP BY account_id),
  fact AS MATERIALIZED (
    SELECT account_id, 'quota:' || quota_group || ':' || utc::date || ':' || percent AS dedupe_key, 'quota' AS kind, percent::bigint AS threshold,
      used::bigint AS used, most::bigint AS most, id AS key_id, prefix AS key_prefix, quota.name AS key_name, is_active AS is_open
    FROM quota JOIN setting USING (account_id) CROSS JOIN clock CROSS JOIN unnest(alert_quota_percents) AS percent
    WHERE most > 0 AND used::bigint * 100 >= most::bigint * percent
    UNION ALL
    SELECT account_id, 'spend:' || month || ':' || micro, 'spend', micro, month_spent, month_cap, NULL, NULL, NULL, true
    FROM wallet JOIN setting USING (account_id) CROSS JOIN clock CROSS JOIN unnest(alert_spend_micro) AS micro
    WHERE month >= date_trunc('month', utc)::date AND month_spent >= micro
    UNION ALL
    SELECT account_id, 'storage:percent:' || percent, 'storage', percent, used, most, NULL, NULL, NULL, true
    FROM stored JOIN setting USING (account_id) CROSS JOIN unnest(alert_storage_percents) AS percent
    WHERE most > 0 AND used::numeric * 100 >= most::numeric * percent
    UNION ALL
    SELECT account_id, 'storage:bytes:' || bytes, 'storageBytes', bytes, used, most, NULL, NULL, NULL, true
    FROM stored JOIN setting USING (account_id) CROSS JOIN unnest(alert_storage_bytes) AS bytes WHERE used >= bytes),
  gone AS (
    DELETE FROM alert_notice notice WHERE ${IS_OF_THRESHOLD} AND NOT EXISTS (
      SELECT FROM fact WHERE fact.account_id = notice.account_id AND fact.dedupe_key = notice.dedupe_key)),
  noted AS (
    INSERT INTO alert_notice (account_id, dedupe_key)
    SELECT account_id, dedupe_key FROM fact WHERE is_open AND NOT EXISTS (
      SELECT FROM alert_notice notice WHERE notice.account_id = fact.account_id AND notice.dedupe_key = fact.dedupe_key)
    ORDER BY account_id, dedupe_key LIMIT $2 ON CONFLICT DO NOTHING RETURNING account_id, dedupe_key)
  SELECT fact.account_id, setting.name AS account_name, kind, threshold, used, most, key_id, key_prefix, key_name, clock.reset_at,
    to_char(utc, 'YYYY-MM') AS month
  FROM noted JOIN fact USING (account_id, dedupe_key) JOIN setting USING (account_id) CROSS JOIN clock
  ORDER BY fact.account_id, kind, key_id, threshold`
