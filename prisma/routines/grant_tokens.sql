-- Grants up to p_wanted playback tokens to a key that works and is locked, and pays for them; locks are taken as key,
-- wallet, day. A rotated key counts with its group (p_group); unpaid tokens count against p_account_free, the account's
-- most in a UTC day (null: unbounded). o_room is what is left of it. Called by server/modules/quotas/grant.ts.
CREATE OR REPLACE FUNCTION grant_tokens(p_key text, p_account text, p_prefix text, p_quota integer, p_free integer,
  p_price bigint, p_wanted integer,
  p_group text, p_account_free bigint)
RETURNS TABLE (o_granted integer, o_issued integer, o_limit integer, o_held text, o_room bigint, o_now timestamptz,
  o_reset_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := service_now();
  v_day date := (v_now AT TIME ZONE 'UTC')::date;
  v_used record;
  v_wallet record;
  v_cap bigint;
  v_cap_spent bigint;
  v_hour timestamptz;
  v_month date;
  v_spent bigint;
  v_room bigint;
  v_can_pay bigint := 0;
  v_paid integer;
  v_free bigint := 0;
  v_cost bigint;
  v_told boolean;
  v_count integer;
  v_of_group integer;
  v_may_free bigint;
  v_free_day date;
  v_free_issued bigint;
BEGIN
  o_now := v_now;
  o_reset_at := (v_day + 1)::timestamp AT TIME ZONE 'UTC';

  SELECT * INTO STRICT v_wallet FROM wallet WHERE account_id = p_account FOR UPDATE;
  IF p_price > 0 THEN
    -- A statement that waited until its hour was closed, or until its month was over, pays in the next one.
    v_hour := GREATEST(date_trunc('hour', v_now, 'UTC'), v_wallet.closed_until,
      v_wallet.month::timestamp AT TIME ZONE 'UTC');
    v_month := date_trunc('month', v_hour AT TIME ZONE 'UTC')::date;
    v_spent := CASE WHEN v_wallet.month = v_month THEN v_wallet.month_spent ELSE 0 END;
    v_room := v_wallet.balance;
    o_held := 'credit';
    IF v_wallet.month_cap - v_spent < v_room THEN
      v_room := v_wallet.month_cap - v_spent;
      o_held := 'account_cap';
    END IF;
    IF v_wallet.capped_keys > 0 THEN
      SELECT month_cap, CASE WHEN month = v_month THEN month_spent ELSE 0 END INTO v_cap, v_cap_spent FROM key_cap
        WHERE key_id = COALESCE(p_group, p_key);
    END IF;
    IF v_cap - v_cap_spent < v_room THEN
      v_room := v_cap - v_cap_spent;
      o_held := 'key_cap';
    END IF;
    v_can_pay := GREATEST(0, v_room) / p_price;
  END IF;

  SELECT issued, exhausted INTO v_used FROM key_day WHERE key_id = p_key AND day = v_day FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO key_day (key_id, day) VALUES (p_key, v_day) ON CONFLICT DO NOTHING;
    SELECT issued, exhausted INTO STRICT v_used FROM key_day WHERE key_id = p_key AND day = v_day FOR UPDATE;
  END IF;
  v_count := v_used.issued;
  IF p_group IS NOT NULL THEN
    SELECT issued INTO v_of_group FROM quota_group_day WHERE quota_group = p_group AND day = v_day;
    v_count := COALESCE(v_of_group, 0);
  END IF;
  -- A statement that waited past midnight counts in the day that another one has begun.
  v_free_day := GREATEST(v_day, v_wallet.free_day);
  v_free_issued := CASE WHEN v_wallet.free_day = v_free_day THEN v_wallet.free_issued ELSE 0 END;
  IF p_account_free IS NOT NULL THEN
    o_room := GREATEST(0, p_account_free - v_free_issued);
  END IF;

  v_paid := LEAST(p_wanted, GREATEST(0, p_quota - v_count), v_can_pay);
  o_limit := p_quota;
  IF v_can_pay > v_paid THEN
    o_held := NULL;
  ELSIF p_price > 0 THEN
    o_limit := LEAST(p_quota, p_free);
  END IF;
  IF v_can_pay = v_paid THEN
    v_may_free := LEAST(p_wanted - v_paid, GREATEST(0, o_limit - v_count - v_paid));
    -- LEAST passes over a null: an unbounded key has no o_room.
    v_free := LEAST(v_may_free, o_room);
    IF v_free < v_may_free THEN
      o_held := 'account_free';
    END IF;
    o_room := o_room - v_free;
  ELSE
    o_room := NULL;
  END IF;
  o_granted := (v_paid + v_free)::integer;
  o_issued := v_count + o_granted;
  v_cost := v_paid * p_price;
  v_told := NOT v_used.exhausted AND o_issued >= o_limit;

  IF o_granted > 0 OR v_told THEN
    UPDATE key_day SET issued = issued + o_granted, cost = cost + v_cost, exhausted = exhausted OR v_told
      WHERE key_id = p_key AND day = v_day;
  END IF;
  IF o_granted > 0 AND p_group IS NOT NULL THEN
    INSERT INTO quota_group_day (quota_group, account_id, day, issued) VALUES (p_group, p_account, v_day, o_issued)
      ON CONFLICT (quota_group, day) DO UPDATE SET issued = EXCLUDED.issued;
  END IF;
  IF v_free > 0 AND p_account_free IS NOT NULL THEN
    UPDATE wallet SET free_day = v_free_day, free_issued = v_free_issued + v_free WHERE account_id = p_account;
  END IF;
  IF v_told THEN
    PERFORM emit_event(NULL, p_account, 'playback.token.exhausted', json_build_object('keyId', p_key, 'keyPrefix',
      p_prefix, 'limit', o_limit,
      'resetAt', to_char(o_reset_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), p_key || ':' || v_day);
  END IF;

  IF v_cost > 0 THEN
    UPDATE wallet SET balance = balance - v_cost, month = v_month, month_spent = v_spent + v_cost, updated_at = v_now
      WHERE account_id = p_account;
    INSERT INTO charge_hour AS h (key_id, hour, account_id, tokens, cost) VALUES (p_key, v_hour, p_account, v_paid,
      v_cost)
      ON CONFLICT (key_id, hour) DO UPDATE SET tokens = h.tokens + EXCLUDED.tokens, cost = h.cost + EXCLUDED.cost;
    IF v_cap IS NOT NULL THEN
      UPDATE key_cap SET month = v_month, month_spent = v_cap_spent + v_cost
        WHERE key_id = COALESCE(p_group, p_key);
    END IF;
    IF v_wallet.balance >= v_wallet.low_balance_threshold
      AND v_wallet.balance - v_cost < v_wallet.low_balance_threshold THEN
      PERFORM emit_event(NULL, p_account, 'wallet.low_balance', json_build_object('balance',
        credits_text(v_wallet.balance - v_cost),
        'previousBalance', credits_text(v_wallet.balance), 'threshold', credits_text(v_wallet.low_balance_threshold)));
    END IF;
  END IF;
  RETURN NEXT;
END $$;
