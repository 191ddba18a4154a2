'use client'

import { Button } from '@mantine/core'
import { IconPrinter } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import {
  CODEC_TITLES,
  type DeliveredCodec,
  deliveredBytesOf,
  renditionTitle,
  savedShare,
} from '#server/modules/analytics/delivered/delivered-schema'
import { formatCredits, formatSignedCredits } from '#server/modules/billing/price-schema'
import { ENTRY_KINDS } from '#server/modules/billing/state'
import type { MonthStatement as Month } from '#server/modules/dashboard/billing-overview'
import { useTRPC } from '../../../../../_trpc/client'
import { Fact } from '../../../../../_ui/Fact'
import { formatBytes, formatCount, formatShare } from '../../../../../_ui/format'
import { Mark } from '../../../../../_ui/Mark'
import { BackLink } from '../../../../../_ui/page/BackLink'
import { formatMoment, formatMoney, formatMonth } from '../../../../_parts/amounts'
import { KeyLink } from '../../../_parts/KeyLink'
import classes from './Statement.module.css'

/** Shows one month for print: the opening balance, what was added and used, the closing balance; and receipts of payments. */
export function Statement({ month }: { month: string }) {
  const trpc = useTRPC()
  const { data } = useSuspenseQuery(trpc.billing.statement.queryOptions({ month }))
  return (
    <>
      <div className={classes.bar}>
        <BackLink href="/billing/statements">Statements</BackLink>
        <Button variant="default" leftSection={<IconPrinter size={15} />} onClick={() => window.print()}>
          Print
        </Button>
      </div>
      <article className={classes.sheet}>
        <header className={classes.head}>
          <div>
            <h1>Statement for {formatMonth(month)}</h1>
            {data.running && <p>This month is not over yet. The statement shows activity to date.</p>}
          </div>
          {data.issuer.length > 0 ? (
            <address className={classes.issuer}>
              {data.issuer.map((line) => (
                <span key={line}>{line}</span>
              ))}
            </address>
          ) : (
            <span className={classes.brand}>
              <Mark size={22} /> Reelgate
            </span>
          )}
        </header>
        <dl className={classes.facts}>
          <Fact title="Number">{data.number}</Fact>
          <Fact title="Account">{data.account.name}</Fact>
          <Fact title="Account ID">
            <code>{data.account.id}</code>
          </Fact>
          <Fact title="Period">
            {month}-01 to {lastDay(month)} (UTC)
          </Fact>
        </dl>
        <Sums data={data} />
        {data.delivered && <Delivered delivered={data.delivered} />}
        {data.stored && <Stored stored={data.stored} />}
        {data.payments.length > 0 && <Receipts payments={data.payments} />}
        <footer className={classes.small}>
          {data.note && <p>{data.note}</p>}
          <p>
            Amounts are in credits. On the paid tier, each playback token costs 0.0005 credits and counts in the UTC hour in which it was
            issued.
          </p>
        </footer>
      </article>
    </>
  )
}

function Sums({ data }: { data: Month }) {
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">Description</th>
          <th scope="col">Tokens</th>
          <th scope="col">Credits</th>
        </tr>
      </thead>
      <tbody>
        <tr className={classes.strong}>
          <td>Opening balance</td>
          <td />
          <td>{formatCredits(data.opening)}</td>
        </tr>
        {data.movements.map(({ at, kind, amount, reason }) => (
          <tr key={`${at.toISOString()} ${amount} ${reason}`}>
            <td>
              {ENTRY_KINDS[kind].title}, {formatMoment(at)} UTC
              {reason && <span className={classes.reason}>{reason}</span>}
            </td>
            <td />
            <td>{formatSignedCredits(amount)}</td>
          </tr>
        ))}
        {data.usage.map(({ keyId, keyName, tokens, credits }) => (
          <tr key={keyId}>
            <td>
              Playback tokens of <KeyLink id={keyId} name={keyName} inText />
              <span className={classes.reason}>
                <code>{keyId}</code>
              </span>
            </td>
            <td>{formatCount(tokens)}</td>
            <td>{formatSignedCredits(`-${credits}`)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className={classes.strong}>
          <td>{data.running ? 'Current balance' : 'Closing balance'}</td>
          <td>{formatCount(data.usage.reduce((sum, { tokens }) => sum + tokens, 0))}</td>
          <td>{formatCredits(data.closing)}</td>
        </tr>
      </tfoot>
    </table>
  )
}

/** Lists delivered bytes; they have no price. */
function Delivered({ delivered }: { delivered: NonNullable<Month['delivered']> }) {
  const saved = `${formatBytes(delivered.saved)}, ${formatShare(savedShare(delivered))}`
  return (
    <Bytes
      title="Delivered"
      unit="Bytes"
      rows={delivered.renditions.map(({ codec, rendition, delivered: bytes }) => [titleOf(codec, rendition), bytes])}
      total={deliveredBytesOf(delivered)}
      note={`AV1 saved ${saved} compared with H.264 at equal quality. Delivery is not charged.`}
    />
  )
}

/** Lists stored bytes; they have no price. */
function Stored({ stored: { days, originals, others, renditions } }: { stored: NonNullable<Month['stored']> }) {
  const rows: [title: string, bytes: number][] = [
    ['Original files', originals],
    ...renditions.map(({ codec, rendition, stored }): [string, number] => [titleOf(codec, rendition), stored]),
    ['Pictures and captions', others],
  ]
  return (
    <Bytes
      title="Stored"
      unit="Average bytes"
      rows={rows}
      total={rows.reduce((sum, [, bytes]) => sum + bytes, 0)}
      note={`Recorded once per UTC day, on ${days} ${days === 1 ? 'day' : 'days'} of this month. Storage is not charged.`}
    />
  )
}

interface BytesProps {
  title: string
  unit: string
  rows: [title: string, bytes: number][]
  total: number
  note: string
}

function Bytes({ title, unit, rows, total, note }: BytesProps) {
  return (
    <>
      <h2 className={classes.title}>{title}</h2>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Description</th>
            <th scope="col">{unit}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([title, bytes]) => (
            <tr key={title}>
              <td>{title}</td>
              <td>{formatBytes(bytes)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className={classes.strong}>
            <td>
              Total
              <span className={classes.reason}>{note}</span>
            </td>
            <td>{formatBytes(total)}</td>
          </tr>
        </tfoot>
      </table>
    </>
  )
}

const titleOf = (codec: DeliveredCodec, rendition: string) => [renditionTitle(rendition), CODEC_TITLES[codec]].filter(Boolean).join(', ')

function Receipts({ payments }: { payments: Month['payments'] }) {
  return (
    <>
      <h2 className={classes.title}>Receipts</h2>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">Paid (UTC)</th>
            <th scope="col">Credits</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {payments.map(({ id, paidAt, credits, amount, currency, refunded }) => (
            <tr key={id}>
              <td>
                {formatMoment(paidAt)}
                <span className={classes.reason}>
                  <code>{id}</code>
                </span>
              </td>
              <td>{formatCredits(credits)}</td>
              <td>
                {formatMoney(amount, currency)}
                {refunded > 0 && <span className={classes.reason}>{formatMoney(refunded, currency)} refunded</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function lastDay(month: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number]
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10)
}
