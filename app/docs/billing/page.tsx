import type { Metadata } from 'next'
import { ENTRY_KINDS } from '#server/modules/billing/state'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Billing' }

const TIERS = [
  { what: 'A playback token', free: 'nothing', paid: '0.0005 credit, as it is issued' },
  { what: 'Tokens a key and UTC day', free: '1,000', paid: '100,000, or what the operator set' },
  { what: 'Without credit', free: '–', paid: 'the free quota for the rest of the day' },
  { what: 'Test keys', free: 'the free quota', paid: 'the free quota, never charged' },
]

const KINDS = {
  top_up: 'A payment was confirmed.',
  credit: 'The operator gave credit, for the reason that stands there.',
  usage: 'What one key’s tokens cost in one UTC hour.',
  refund: 'A payment was paid back; with a plus, paying it back failed.',
  dispute: 'The bank took a payment back because its holder disputes it; with a plus, the dispute was decided for you.',
  correction: 'A mistake was put right. Entries themselves are never changed.',
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
npm run operator -- verify-ledger --export books.jsonl
npm run operator -- verify-ledger --from books.jsonl`

export default function Billing() {
  return (
    <Guide
      href="/docs/billing"
      title="Billing"
      lead="On the paid tier a playback token costs 0.0005 credit: half a credit for a thousand. Exact to the token, capped where you say, and written in a ledger that anybody can check."
    >
      <Section id="tiers" title="Two tiers">
        <Table
          label="Tiers"
          rows={TIERS}
          keyOf={({ what }) => what}
          columns={[
            { title: 'What', cell: ({ what }) => what, phone: 'wide' },
            { title: 'Free', cell: ({ free }) => free },
            { title: 'Paid', cell: ({ paid }) => paid },
          ]}
        />
        <p>
          An owner chooses the tier under Billing; it holds from the next token on. Quota, wallet and usage move in the one statement that
          issues tokens, so a token that was not issued cost nothing, and none is ever paid for twice.
        </p>
      </Section>
      <Section id="ends" title="When credit or a cap ends">
        <p>
          A balance is never negative. When credit ends, a key has what the free quota leaves of its day: 1,000 tokens, those already issued
          that day counted. After that it is refused with <a href="/docs/errors#RATE_LIMIT_EXCEEDED">429</a>, whose{' '}
          <code>details.reason</code> is <code>OUT_OF_CREDIT</code>. A spending cap that is reached acts the same way until the UTC month
          ends or the cap is raised: <code>ACCOUNT_SPENDING_CAP</code>, or <code>KEY_SPENDING_CAP</code> for the cap of one key.
        </p>
        <Snippet label="A refusal" code={REFUSED} />
        <p>
          Set a low-balance threshold and subscribe to <a href="/docs/webhooks">wallet.low_balance</a> to hear of it before: it fires when
          the balance falls below, once each time. <code>wallet.refilled</code> fires when credit arrives,{' '}
          <code>playback.token.exhausted</code> once for a key and day. Where the operator has set up mail, owners are also mailed when the
          balance falls below the threshold and when a cap is reached.
        </p>
      </Section>
      <Section id="api" title="Balance and usage over the API">
        <p>
          Both take a key with the scope <code>billing:read</code>, cost nothing, and are not limited. Credits are decimal strings: read
          them with decimal arithmetic. Usage is this month so far, or a span of at most 366 UTC days, both ends included;
          <code>storage</code> is what the account stores now and how much it may.
        </p>
        <Snippet label="Balance" code={BALANCE} />
        <Snippet label="Usage" code={USAGE} />
      </Section>
      <Section id="ledger" title="The ledger">
        <p>
          Every entry moves an amount between two accounts of the books, carries the balance after it, and a SHA-256 hash over itself and
          the hash before. The database refuses to change or remove one. Usage is one entry for each key and UTC hour, written when the hour
          is over; the balance moves at once.
        </p>
        <Table
          label="Kinds of entries"
          rows={ENTRIES}
          keyOf={({ title }) => title}
          columns={[
            { title: 'Entry', cell: ({ title }) => title },
            { title: 'Meaning', cell: ({ meaning }) => meaning, phone: 'wide' },
          ]}
        />
        <p>
          The operator verifies it with one command, from the database or from an export on another machine. It recomputes every hash and
          balance, compares each debit with the usage counter behind it, and names the first row that is wrong.
        </p>
        <Snippet label="Verify" code={VERIFY} />
      </Section>
      <Section id="top-up" title="Getting credit">
        <p>
          Where the operator has set up Stripe, owners top up under Billing; credit arrives when Stripe confirms the payment, once however
          often it says so. Otherwise the operator gives credit:{' '}
          <code>npm run operator -- credit owner@example.com 50 --reason "Invoice 7"</code>. Each month has a statement to print, under
          Billing.
        </p>
        <p>
          A payment that is refunded, or that its holder disputes at the bank, leaves the wallet by an entry of its own; a refund that
          failed and a dispute that was won come back the same way. A balance is never negative: where credit was spent already, what is
          left is taken, and the entry says how much was not.
        </p>
      </Section>
      <Section id="quota" title="A higher daily quota">
        <p>
          An owner on the paid tier asks for one on the page of a key, with the number wanted and what it is for. The answer appears there,
          and comes by mail where the operator has set it up. The spending cap of a key is set on the same page.
        </p>
      </Section>
    </Guide>
  )
}
