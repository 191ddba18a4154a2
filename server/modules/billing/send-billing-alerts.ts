import { env } from '../../platform/config/config.ts'
import { query } from '../../platform/database/database.ts'
import { isMailConfigured, type Mail, sendMail } from '../../platform/mail.ts'
import { creditsText, formatCredits, TOKEN_PRICE } from './price-schema.ts'

interface Fact {
  kind: 'low' | 'account_cap' | 'key_cap'
  account_id: string
  dedupe_key: string
  name: string
  /** Set for a low balance: the balance and the threshold, in credits. */
  left: string | null
  threshold: string | null
  /** Set for a cap: its amount in micro-credits, and the name of its key. */
  cap: string | null
  key: string | null
}

/**
 * Emails owners when the balance falls below its threshold or a monthly spending cap is reached: once for each crossing, within a minute,
 * if mail is configured. The next run repeats a failed email. Runs as the job `billing.tell`. Returns the number of alerts sent.
 */
export async function sendBillingAlerts(signal?: AbortSignal): Promise<number> {
  if (!isMailConfigured()) return 0
  let alerted = 0
  for (const fact of await query<Fact>('untold-facts', UNTOLD, [TOKEN_PRICE])) {
    signal?.throwIfAborted()
    const recorded = await query('tell-fact', TELL, [fact.account_id, fact.dedupe_key])
    if (recorded.length === 0) continue
    const owners = await query<{ email: string }>('owners', OWNERS, [fact.account_id])
    const sent = await Promise.all(owners.map(({ email: to }) => sendMail({ to, ...alertMail(fact) })))
    if (owners.length === 0 || sent.includes(true)) alerted++
    else
      await query('untell-fact', 'DELETE FROM alert_notice WHERE account_id = $1 AND dedupe_key = $2', [fact.account_id, fact.dedupe_key])
  }
  return alerted
}

function alertMail({ kind, name, left, threshold, cap, key }: Fact): Omit<Mail, 'to'> {
  const page = `${env().BASE_URL}/billing`
  if (kind === 'low')
    return {
      subject: 'Your credit balance is low',
      text: `${name} has ${formatCredits(left ?? 0)} credits left, which is below your alert threshold of ${formatCredits(threshold ?? 0)}.\n\nWithout credits, keys are limited to the free quota of 1,000 tokens per day. Top up at ${page}\n`,
    }
  const whose = kind === 'key_cap' ? `The key “${key}” of ${name}` : name
  return {
    subject: kind === 'key_cap' ? 'A key has reached its spending cap' : 'Your account has reached its spending cap',
    text: `${whose} has reached its monthly spending cap of ${formatCredits(creditsText(BigInt(cap ?? 0)))} credits.\n\nUntil the month (UTC) ends or the cap is raised, the free quota of 1,000 tokens per day and key applies. Change the cap at ${page}\n`,
  }
}

const MONTH = `(date_trunc('month', service_now(), 'UTC') AT TIME ZONE 'UTC')::date`

/* A cap that is raised and reached again is a new alert. Low balances count for an hour, so that new mail settings send no old alerts. */
const UNTOLD = `
  WITH facts AS (
    SELECT 'low' AS kind, account_id, 'low:' || id AS dedupe_key, payload::json->'data'->>'balance' AS left, payload::json->'data'->>'threshold' AS threshold,
      NULL::bigint AS cap, NULL AS key
    FROM webhook_event WHERE type = 'wallet.low_balance' AND NOT sample AND created_at > service_now() - interval '1 hour'
    UNION ALL
    SELECT 'account_cap', account_id, 'cap:' || month || ':' || month_cap, NULL, NULL, month_cap, NULL
    FROM wallet WHERE month_cap - month_spent < $1 AND month >= ${MONTH}
    UNION ALL
    SELECT 'key_cap', c.account_id, 'cap:' || c.key_id || ':' || c.month || ':' || c.month_cap, NULL, NULL, c.month_cap,
      (SELECT k.name FROM api_key k WHERE k.id = c.key_id OR k.quota_group = c.key_id ORDER BY k.created_at DESC, k.id DESC LIMIT 1)
    FROM key_cap c WHERE c.month_cap - c.month_spent < $1 AND c.month >= ${MONTH})
  SELECT facts.*, a.name FROM facts JOIN account a ON a.id = facts.account_id
  WHERE a.tier = 'PAID' AND NOT EXISTS (SELECT 1 FROM alert_notice n WHERE n.account_id = facts.account_id AND n.dedupe_key = facts.dedupe_key)
  ORDER BY facts.account_id, facts.dedupe_key LIMIT 500`

const TELL = 'INSERT INTO alert_notice (account_id, dedupe_key) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1'

const OWNERS = `
  SELECT u.email FROM membership m JOIN app_user u ON u.id = m.user_id
  WHERE m.account_id = $1 AND m.role = 'OWNER' AND u.suspended_at IS NULL ORDER BY u.email`
