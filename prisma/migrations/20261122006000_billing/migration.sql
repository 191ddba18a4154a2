-- Wallets and the books. What each table means is said in schema.prisma; amounts are micro-credits throughout.
-- Nothing here refers to account or api_key: the books outlive both.

CREATE TABLE "wallet" (
    "account_id" TEXT NOT NULL,
    "balance" BIGINT NOT NULL DEFAULT 0,
    "posted" BIGINT NOT NULL DEFAULT 0,
    "entries" INTEGER NOT NULL DEFAULT 0,
    "head" BYTEA NOT NULL DEFAULT '\x0000000000000000000000000000000000000000000000000000000000000000',
    "low_balance_threshold" BIGINT,
    "month_cap" BIGINT,
    "month" DATE NOT NULL DEFAULT '1970-01-01',
    "month_spent" BIGINT NOT NULL DEFAULT 0,
    "closed_until" TIMESTAMPTZ(3) NOT NULL DEFAULT '1970-01-01T00:00:00Z',
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "wallet_pkey" PRIMARY KEY ("account_id"),
    CONSTRAINT "wallet_never_negative" CHECK (balance >= 0 AND posted >= balance),
    CONSTRAINT "wallet_limits" CHECK (low_balance_threshold > 0 AND month_cap >= 0)
);

CREATE TABLE "key_cap" (
    "key_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "month_cap" BIGINT NOT NULL,
    "month" DATE NOT NULL,
    "month_spent" BIGINT NOT NULL,

    CONSTRAINT "key_cap_pkey" PRIMARY KEY ("key_id")
);
CREATE INDEX "key_cap_account_id_idx" ON "key_cap"("account_id");

CREATE TABLE "charge_hour" (
    "key_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "account_id" TEXT NOT NULL,
    "tokens" INTEGER NOT NULL,
    "cost" BIGINT NOT NULL,
    "entry" INTEGER,

    CONSTRAINT "charge_hour_pkey" PRIMARY KEY ("key_id","hour")
);
CREATE INDEX "charge_hour_account_id_hour_idx" ON "charge_hour"("account_id", "hour");
-- What is still to be written into the ledger: never more than a few rows an account.
CREATE INDEX "charge_hour_open" ON "charge_hour"("account_id", "hour") WHERE entry IS NULL;

CREATE TABLE "ledger_entry" (
    "account_id" TEXT NOT NULL,
    "seq" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "debit" TEXT NOT NULL,
    "credit" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "balance_after" BIGINT NOT NULL,
    "key_id" TEXT,
    "hour" TIMESTAMPTZ(3),
    "tokens" INTEGER,
    "reference" TEXT,
    "reason" TEXT,
    "actor" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "previous" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("account_id","seq"),
    CONSTRAINT "ledger_entry_moves" CHECK (amount > 0 AND balance_after >= 0 AND debit <> credit AND 'wallet' IN (debit, credit))
);
CREATE UNIQUE INDEX "ledger_entry_account_id_reference_key" ON "ledger_entry"("account_id", "reference");

ALTER TABLE "key_day" ADD COLUMN "cost" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "key_day" ADD COLUMN "exhausted" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE "key_day" DROP COLUMN "last_grant";

-- The ledger only grows. Whoever would change it must first take these away, and the chain of hashes still tells.
CREATE TRIGGER ledger_entry_append_only
  BEFORE UPDATE OR DELETE ON ledger_entry FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_entry_never_emptied
  BEFORE TRUNCATE ON ledger_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
-- An hour that stands in the ledger is over.
CREATE TRIGGER charge_hour_posted
  BEFORE UPDATE OR DELETE ON charge_hour FOR EACH ROW WHEN (OLD.entry IS NOT NULL) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER charge_hour_never_emptied
  BEFORE TRUNCATE ON charge_hour FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Every account has a wallet from its first moment, so that nobody has to ask.
CREATE FUNCTION open_wallet() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO wallet (account_id) VALUES (NEW.id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER account_opens_wallet AFTER INSERT ON account FOR EACH ROW EXECUTE FUNCTION open_wallet();
INSERT INTO wallet (account_id) SELECT id FROM account;

-- Micro-credits as the credits that people and programs are told: a decimal without trailing zeros.
CREATE FUNCTION credits_text(micro bigint) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT trim_scale(micro / 1000000.0)::text';

-- Grants up to p_wanted playback tokens to a key that works and is locked, and pays for them: quota, wallet and usage move together or not
-- at all. At p_price 0 nothing is charged. Where credit or a spending cap ends, what the free quota (p_free) leaves of the day is granted.
-- Locks are taken in one order everywhere: key, wallet, day. Called by server/modules/quotas/grant.ts.
CREATE FUNCTION grant_tokens(p_key text, p_account text, p_prefix text, p_quota integer, p_free integer, p_price bigint, p_wanted integer)
RETURNS TABLE (o_granted integer, o_issued integer, o_limit integer, o_held text, o_now timestamptz, o_reset_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := service_now();
  v_day date := (v_now AT TIME ZONE 'UTC')::date;
  v_used record;
  v_wallet record;
  v_cap record;
  v_hour timestamptz;
  v_month date;
  v_spent bigint;
  v_room bigint;
  v_can_pay bigint := 0;
  v_paid integer;
  v_free integer := 0;
  v_cost bigint;
  v_told boolean;
BEGIN
  o_now := v_now;
  o_reset_at := (v_day + 1)::timestamp AT TIME ZONE 'UTC';

  IF p_price > 0 THEN
    SELECT * INTO STRICT v_wallet FROM wallet WHERE account_id = p_account FOR UPDATE;
    -- A statement that waited until its hour was closed pays in the next one.
    v_hour := GREATEST(date_trunc('hour', v_now, 'UTC'), v_wallet.closed_until);
    v_month := GREATEST(date_trunc('month', v_hour AT TIME ZONE 'UTC')::date, v_wallet.month);
    v_spent := CASE WHEN v_wallet.month = v_month THEN v_wallet.month_spent ELSE 0 END;
    v_room := v_wallet.balance;
    o_held := 'credit';
    IF v_wallet.month_cap - v_spent < v_room THEN
      v_room := v_wallet.month_cap - v_spent;
      o_held := 'account_cap';
    END IF;
    SELECT month_cap, CASE WHEN month = v_month THEN month_spent ELSE 0 END AS spent INTO v_cap FROM key_cap WHERE key_id = p_key;
    IF v_cap.month_cap - v_cap.spent < v_room THEN
      v_room := v_cap.month_cap - v_cap.spent;
      o_held := 'key_cap';
    END IF;
    v_can_pay := GREATEST(0, v_room) / p_price;
  END IF;

  SELECT issued, exhausted INTO v_used FROM key_day WHERE key_id = p_key AND day = v_day FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO key_day (key_id, day) VALUES (p_key, v_day) ON CONFLICT DO NOTHING;
    SELECT issued, exhausted INTO STRICT v_used FROM key_day WHERE key_id = p_key AND day = v_day FOR UPDATE;
  END IF;

  v_paid := LEAST(p_wanted, GREATEST(0, p_quota - v_used.issued), v_can_pay);
  o_limit := p_quota;
  IF v_can_pay > v_paid THEN
    o_held := NULL;
  ELSIF p_price > 0 THEN
    o_limit := LEAST(p_quota, p_free);
  END IF;
  IF v_can_pay = v_paid THEN
    v_free := LEAST(p_wanted - v_paid, GREATEST(0, o_limit - v_used.issued - v_paid));
  END IF;
  o_granted := v_paid + v_free;
  o_issued := v_used.issued + o_granted;
  v_cost := v_paid * p_price;
  v_told := NOT v_used.exhausted AND o_issued >= o_limit;

  IF o_granted > 0 OR v_told THEN
    UPDATE key_day SET issued = o_issued, cost = cost + v_cost, exhausted = exhausted OR v_told
      WHERE key_id = p_key AND day = v_day;
  END IF;
  IF v_told THEN
    PERFORM emit_event(NULL, p_account, 'playback.token.exhausted', json_build_object('keyId', p_key, 'keyPrefix', p_prefix, 'limit', o_limit,
      'resetAt', to_char(o_reset_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')), p_key || ':' || v_day);
  END IF;

  IF v_cost > 0 THEN
    UPDATE wallet SET balance = balance - v_cost, month = v_month, month_spent = v_spent + v_cost, updated_at = v_now
      WHERE account_id = p_account;
    INSERT INTO charge_hour AS h (key_id, hour, account_id, tokens, cost) VALUES (p_key, v_hour, p_account, v_paid, v_cost)
      ON CONFLICT (key_id, hour) DO UPDATE SET tokens = h.tokens + EXCLUDED.tokens, cost = h.cost + EXCLUDED.cost;
    IF v_cap.month_cap IS NOT NULL THEN
      UPDATE key_cap SET month = v_month, month_spent = v_cap.spent + v_cost WHERE key_id = p_key;
    END IF;
    IF v_wallet.balance >= v_wallet.low_balance_threshold AND v_wallet.balance - v_cost < v_wallet.low_balance_threshold THEN
      PERFORM emit_event(NULL, p_account, 'wallet.low_balance', json_build_object('balance', credits_text(v_wallet.balance - v_cost),
        'previousBalance', credits_text(v_wallet.balance), 'threshold', credits_text(v_wallet.low_balance_threshold)));
    END IF;
  END IF;
  RETURN NEXT;
END $$;
