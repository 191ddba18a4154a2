-- What each key may issue today: the one rule of the daily quota. grant_tokens() decides by it with the wallet locked;
-- headers, dashboard and thresholds show it, for no wanted tokens. On the paid tier a token is paid for while balance
-- and caps allow; then at most the free quota applies. p_terms: {"free", "paid": tokens a day on each tier, "price":
-- micro-credits, "accountFree": free tokens of an account a day; null is unbounded}, see
-- server/modules/access/quotas/daily-quota.ts. OFFSET 0 computes each step once, in the order of the steps.
CREATE OR REPLACE FUNCTION key_quota(p_terms jsonb, p_wanted integer DEFAULT 0)
-- `held` is the reason why a key gets less than its own quota, `account_left` how many free tokens the account has left
-- where they limit the key, `tokens_left` what both leave: all after the wanted tokens that are granted, as `paid` and
-- `free`. The rest is what grant_tokens() writes.
RETURNS TABLE (key_id text, account_id text, quota_group text, prefix text, daily_limit integer, held text,
  issued integer, account_left bigint, tokens_left bigint, paid integer, free integer, cost bigint, hour timestamptz,
  month date, month_spent bigint, cap_spent bigint, free_day date, free_issued bigint, is_told boolean,
  now timestamptz, day date, reset_at timestamptz)
LANGUAGE sql STABLE AS $$
  SELECT k.id, k.account_id, k.quota_group, k.prefix, daily_limit,
    CASE WHEN is_free AND free < may_free THEN 'account_free' WHEN is_free THEN purse.held END,
    (purse.issued + paid + free)::integer, CASE WHEN is_free THEN account_room - free END,
    LEAST(daily_limit - purse.issued - paid - free, CASE WHEN is_free THEN account_room - free END),
    paid::integer, free::integer, paid * price, clock.hour, clock.month, purse.month_spent, purse.cap_spent,
    purse.free_day, purse.free_issued, COALESCE(own.exhausted, false), clock.now, clock.day, clock.reset_at
  FROM api_key k JOIN account a ON a.id = k.account_id JOIN wallet w ON w.account_id = k.account_id
  CROSS JOIN LATERAL (
    SELECT now, day, (day + 1)::timestamp AT TIME ZONE 'UTC' AS reset_at, hour,
      date_trunc('month', hour AT TIME ZONE 'UTC')::date AS month
    FROM (
      SELECT service_now() AS now, (service_now() AT TIME ZONE 'UTC')::date AS day,
        -- A grant that waited until its hour was closed, or its month over, pays in the next one.
        GREATEST(date_trunc('hour', service_now(), 'UTC'), w.closed_until, w.month::timestamp AT TIME ZONE 'UTC') AS hour
      OFFSET 0
    ) AS at
    OFFSET 0
  ) AS clock
  LEFT JOIN key_cap c ON c.key_id = COALESCE(k.quota_group, k.id)
  LEFT JOIN key_day own ON own.key_id = k.id AND own.day = clock.day
  CROSS JOIN LATERAL (
    SELECT today.*,
      CASE WHEN price > 0 THEN GREATEST(0, LEAST(w.balance, account_rest, key_rest)) / price ELSE 0 END AS can_pay,
      CASE WHEN price = 0 THEN NULL WHEN key_rest < LEAST(w.balance, account_rest) THEN 'key_cap'
        WHEN account_rest < w.balance THEN 'account_cap' ELSE 'credit' END AS held
    FROM (
      SELECT spent.*, w.month_cap - month_spent AS account_rest, c.month_cap - cap_spent AS key_rest,
        CASE WHEN k.environment = 'LIVE' AND a.tier = 'PAID' THEN (p_terms ->> 'price')::bigint ELSE 0 END AS price,
        CASE WHEN k.environment = 'LIVE' AND k.daily_quota IS NOT NULL THEN k.daily_quota
          WHEN k.environment = 'LIVE' AND a.tier = 'PAID' THEN (p_terms ->> 'paid')::integer
          ELSE (p_terms ->> 'free')::integer END AS quota,
        -- Keys that replaced each other by rotation share one count.
        COALESCE(CASE WHEN k.quota_group IS NULL THEN own.issued ELSE (
          SELECT sum(d.issued) FROM api_key one JOIN key_day d ON d.key_id = one.id AND d.day = clock.day
          WHERE one.quota_group = k.quota_group) END, 0) AS issued,
        -- Null where the account's free tokens do not limit the key: an operator set its quota.
        CASE WHEN k.environment = 'TEST' OR k.daily_quota IS NULL THEN GREATEST(0, COALESCE(
          (SELECT l.value FROM account_limit l WHERE l.account_id = k.account_id AND l.name = 'freeTokens'),
          (p_terms ->> 'accountFree')::bigint) - free_issued) END AS account_room
      FROM (
        SELECT CASE WHEN w.month = clock.month THEN w.month_spent ELSE 0 END AS month_spent,
          CASE WHEN c.month = clock.month THEN c.month_spent ELSE 0 END AS cap_spent,
          -- A grant that waited past midnight counts in the day that another one has begun.
          GREATEST(clock.day, w.free_day) AS free_day,
          CASE WHEN w.free_day >= clock.day THEN w.free_issued ELSE 0 END AS free_issued
      ) AS spent
    ) AS today
    OFFSET 0
  ) AS purse
  CROSS JOIN LATERAL (
    -- LEAST passes over a null: an unbounded key has no account_room.
    SELECT paid, is_free, daily_limit, may_free, LEAST(may_free, account_room) AS free
    FROM (
      SELECT paid, is_free, daily_limit,
        CASE WHEN is_free THEN LEAST(p_wanted - paid, GREATEST(0, daily_limit - purse.issued - paid)) ELSE 0 END AS may_free
      FROM (
        SELECT paid, can_pay = paid AS is_free,
          CASE WHEN can_pay = paid AND price > 0 THEN LEAST(quota, (p_terms ->> 'free')::integer) ELSE quota END
            AS daily_limit
        FROM (SELECT LEAST(p_wanted, GREATEST(0, quota - purse.issued), can_pay) AS paid) AS paying
      ) AS limits
    ) AS wish
    OFFSET 0
  ) AS granted
$$;
