import type { Metadata } from 'next'
import { ENTRY_KINDS } from '#server/modules/billing/state'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Billing' }

const TIERS = [
  { what: 'A playback token', free: 'free', paid: '0.0005 credits, charged when issued' },
  { what: 'Tokens per key and UTC day', free: '1,000', paid: '100,000, or the quota set by the operator' },
  { what: 'Without credit', free: '–', paid: 'free quota for the rest of the day' },
  { what: 'Test keys', free: 'free quota', paid: 'free quota, never charged' },
]

const KINDS = {
  top_up: 'A payment was confirmed.',
  credit: 'The operator added credit. The entry contains the reason.',
  usage: 'The cost of the tokens of one key in one UTC hour.',
  refund: 'A payment was refunded. A positive amount means that the refund failed.',
  dispute: 'A payment was withdrawn because the cardholder disputed it. A positive amount means that you won the dispute.',
  correction: 'An error was corrected. Existing entries never change.',
} satisfies Record<keyof typeof ENTRY_KINDS, string>
const ENTRIES = Object.entries(KINDS).map(([kind, meaning]) => ({ title: ENTRY_KINDS[kind as keyof typeof ENTRY_KINDS].title, meaning }))

const BALANCE = `curl -s "$REELGATE_URL/v1/billing/balance" -H "x-service-key: $REELGATE_API_KEY"

{"success":true,"data":{"balance":"41.9995","unit":"credit","tier":"PAID",
 "lowBalanceThreshold":"10","updatedAt":"2026-11-21T09:03:12.000Z"}}`

const USAGE = `curl -s "$REELGATE_URL/v1/billing/usage?from=2026-11-01&to=2026-11-21" \\
  -H "x-service-key: $REELGATE_API_KEY"`

const REFUSED = `{"success":false,"error":{"code":"RATE_LIMIT_EXCEEDED","status":429,"retryAfter":31337,
 "details":{"reason":"OUT_OF_CREDIT"}, …}}`

const VERIFY = `npm run operator -- verify-ledger
npm run operator -- verify-ledger --export ledger.jsonl
npm run operator -- verify-ledger --from ledger.jsonl`

export default function Billing() {
  return (
    <Guide
      href="/docs/billing"
      title="Billing"
      lead="On the paid tier, a playback token costs 0.0005 credits (0.5 credits per 1,000). You can set spending caps, and every charge is recorded in a verifiable ledger."
    >
      <Section id="tiers" title="Tiers">
        <Table
          label="Tiers"
          rows={TIERS}
          keyOf={({ what }) => what}
          columns={[
            { title: 'Item', cell: ({ what }) => what, phone: 'wide' },
            { title: 'Free', cell: ({ free }) => free },
            { title: 'Paid', cell: ({ paid }) => paid },
          ]}
        />
        <p>
          Owners choose the tier under <b>Billing</b>, and limits under <b>Billing › Limits</b>. It applies from the next token. Quota,
          wallet and usage are updated in the same database statement that issues a token, so you are charged exactly once for each issued
          token and never for a token that was not issued.
        </p>
      </Section>
      <Section id="ends" title="When credit runs out or a cap is reached">
        <p>
          A balance is never negative. When credit runs out, the free quota applies to each key for the rest of the day: 1,000 tokens,
          including those already issued that day. After that, requests fail with <a href="/docs/errors#RATE_LIMIT_EXCEEDED">429</a> and{' '}
          <code>details.reason</code> is <code>OUT_OF_CREDIT</code>. When a spending cap is reached, the same applies until the UTC month
          ends or the cap is raised. <code>details.reason</code> is then <code>ACCOUNT_SPENDING_CAP</code>, or <code>KEY_SPENDING_CAP</code>{' '}
          for the cap of a key.
        </p>
        <Snippet label="Response" code={REFUSED} />
        <p>
          To be notified in advance, set a low-balance threshold and subscribe to <a href="/docs/webhooks">wallet.low_balance</a>. It fires
          once each time the balance falls below the threshold. <code>wallet.refilled</code> fires when credit is added, and{' '}
          <code>playback.token.exhausted</code> once per key and day. If email is configured, owners also receive an email when the balance
          falls below the threshold and when a cap is reached.
        </p>
      </Section>
      <Section id="api" title="Balance and usage API">
        <p>
          Both endpoints require a key with the scope <code>billing:read</code>. They are free and not rate limited. Credits are decimal
          strings: parse them as decimals, not as floating-point numbers. Usage covers the current month by default, or up to 366 UTC days,
          including both dates. <code>storage</code> contains the bytes that the account stores and its limit.
        </p>
        <Snippet label="Balance" code={BALANCE} />
        <Snippet label="Usage" code={USAGE} />
      </Section>
      <Section id="ledger" title="Ledger">
        <p>
          Each entry transfers an amount between two ledger accounts. It contains the new balance and a SHA-256 hash of its content and the
          previous hash. The database rejects changes and deletions of entries. Usage is recorded as one entry per key and UTC hour after
          the hour ends. The balance changes immediately.
        </p>
        <Table
          label="Entry types"
          rows={ENTRIES}
          keyOf={({ title }) => title}
          columns={[
            { title: 'Entry', cell: ({ title }) => title },
            { title: 'Meaning', cell: ({ meaning }) => meaning, phone: 'wide' },
          ]}
        />
        <p>
          The operator can verify the ledger with one command, from the database or from an export on another machine. The command
          recomputes all hashes and balances, compares each debit with its usage counter, and reports the first invalid row.
        </p>
        <Snippet label="Verify" code={VERIFY} />
      </Section>
      <Section id="top-up" title="Add credit">
        <p>
          If the operator has configured Stripe, owners top up under <b>Billing</b>. Credit is added once, when Stripe confirms the payment.
          Otherwise the operator adds credit: <code>npm run operator -- credit owner@example.com 50 --reason "Invoice 7"</code>. A printable
          statement for each month is available under <b>Billing</b>.
        </p>
        <p>
          A refunded or disputed payment is deducted from the wallet with a separate entry. A failed refund or a won dispute is added back
          in the same way. A balance is never negative: if part of the credit was already spent, the rest is deducted and the entry shows
          the uncovered amount.
        </p>
      </Section>
      <Section id="quota" title="Request a higher daily quota">
        <p>
          Owners on the paid tier can request a higher quota on the page of a key. Enter the quota you need and the reason. The decision
          appears on the same page and, if email is configured, is sent by email. You set the spending cap of a key on the same page.
        </p>
      </Section>
    </Guide>
  )
}
