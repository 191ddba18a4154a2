-- Grants up to p_wanted playback tokens, as key_quota() decides, to a key that works and is locked, and pays for them.
-- Locks are taken as key, wallet, day; the wallet's orders all grants of an account. Called by
-- server/modules/access/quotas/daily-quota.ts.
CREATE OR REPLACE FUNCTION grant_tokens(p_key text, p_account text, p_wanted integer, p_terms jsonb)
RETURNS TABLE (granted integer, issued integer, daily_limit integer, held text, account_left bigint, tokens_left bigint,
  now timestamptz, reset_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
  q record;
  v_wallet record;
  v_told boolean;
BEGIN
  PERFORM FROM wallet w WHERE w.account_id = p_account FOR UPDATE;
  -- A statement of its own: it sees what committed while the lock was awaited.
  SELECT * INTO STRICT q FROM key_quota(p_terms, p_wanted) AS rule WHERE rule.key_id = p_key;
  granted := q.paid + q.free;
  v_told := NOT q.is_told AND q.issued >= q.daily_limit;

  IF granted > 0 OR v_told THEN
    INSERT INTO key_day AS d (key_id, day, issued, cost, exhausted) VALUES (p_key, q.day, granted, q.cost, v_told)
      ON CONFLICT (key_id, day) DO UPDATE SET issued = d.issued + EXCLUDED.issued, cost = d.cost + EXCLUDED.cost,
        exhausted = d.exhausted OR EXCLUDED.exhausted;
  END IF;
  IF q.free > 0 AND q.account_left IS NOT NULL THEN
    UPDATE wallet w SET free_day = q.free_day, free_issued = q.free_issued + q.free WHERE w.account_id = p_account;
  END IF;
  IF v_told THEN
    PERFORM emit_event(NULL, p_account, 'playback.token.exhausted', json_build_object('keyId', p_key, 'keyPrefix',
      q.prefix, 'limit', q.daily_limit,
      'resetAt', to_char(q.reset_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), p_key || ':' || q.day);
  END IF;

  IF q.cost > 0 THEN
    UPDATE wallet w SET balance = w.balance - q.cost, month = q.month, month_spent = q.month_spent + q.cost,
      updated_at = q.now WHERE w.account_id = p_account RETURNING w.balance, w.low_balance_threshold INTO v_wallet;
    INSERT INTO charge_hour AS h (key_id, hour, account_id, tokens, cost)
      VALUES (p_key, q.hour, p_account, q.paid, q.cost)
      ON CONFLICT (key_id, hour) DO UPDATE SET tokens = h.tokens + EXCLUDED.tokens, cost = h.cost + EXCLUDED.cost;
    UPDATE key_cap c SET month = q.month, month_spent = q.cap_spent + q.cost
      WHERE c.key_id = COALESCE(q.quota_group, p_key);
    IF v_wallet.balance + q.cost >= v_wallet.low_balance_threshold
      AND v_wallet.balance < v_wallet.low_balance_threshold THEN
      PERFORM emit_event(NULL, p_account, 'wallet.low_balance', json_build_object('balance',
        credits_text(v_wallet.balance), 'previousBalance', credits_text(v_wallet.balance + q.cost),
        'threshold', credits_text(v_wallet.low_balance_threshold)));
    END IF;
  END IF;
  SELECT q.issued, q.daily_limit, q.held, q.account_left, q.tokens_left, q.now, q.reset_at
    INTO issued, daily_limit, held, account_left, tokens_left, now, reset_at;
  RETURN NEXT;
END $$;
