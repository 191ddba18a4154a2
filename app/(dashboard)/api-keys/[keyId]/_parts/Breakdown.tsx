import type { KeyUsage } from '#server/modules/analytics/key-usage'
import type { EndpointName } from '../../../../_endpoints'
import { formatCount, formatMs } from '../../../../_ui/format'
import { Link } from '../../../../_ui/Link'
import { StatusBadge } from '../../../../_ui/StatusBadge'
import { type Column, Table } from '../../../../_ui/Table'
import type { Tone } from '../../../../_ui/theme'
import classes from './KeyUsage.module.css'

type OfEndpoint = KeyUsage['endpoints'][number]
type OfStatus = KeyUsage['statuses'][number]

/** Shows the requests of the range by endpoint and by status, each with a link to those in the log. */
export function Breakdown({ keyId, usage, endpoints }: { keyId: string; usage: KeyUsage; endpoints: EndpointName[] }) {
  const nameOf = (operation: string) => {
    const found = endpoints.find((one) => one.operation === operation)
    return found ? `${found.method} ${found.path}` : operation
  }
  const byEndpoint: Column<OfEndpoint>[] = [
    {
      title: 'Endpoint',
      phone: 'wide',
      cell: ({ operation }) => (
        <Link href={`/requests?${new URLSearchParams({ keyId, operation })}`} prefetch={false} className={`${classes.code} rg-row-link`}>
          {nameOf(operation)}
        </Link>
      ),
    },
    { title: 'Requests', number: true, cell: ({ requests }) => formatCount(requests) },
    { title: 'Errors', number: true, cell: ({ failed }) => formatCount(failed) },
    { title: 'p95 latency', number: true, cell: ({ p95 }) => formatMs(p95) },
  ]
  const byStatus: Column<OfStatus>[] = [
    {
      title: 'Status',
      cell: ({ status }) => (
        <Link
          href={`/requests?${new URLSearchParams({ keyId, outcome: String(status) })}`}
          prefetch={false}
          className={`${classes.status} rg-row-link`}
        >
          <StatusBadge tone={toneOf(status)}>{status}</StatusBadge>
        </Link>
      ),
    },
    { title: 'Requests', number: true, cell: ({ requests }) => formatCount(requests) },
  ]
  return (
    <div className={classes.breakdown}>
      <Table label="Requests by endpoint" columns={byEndpoint} rows={usage.endpoints} keyOf={({ operation }) => operation} />
      <Table label="Requests by status" columns={byStatus} rows={usage.statuses} keyOf={({ status }) => String(status)} />
    </div>
  )
}

function toneOf(status: number): Tone {
  if (status === 429) return 'warn'
  if (status >= 400) return 'bad'
  return status >= 300 ? 'neutral' : 'good'
}
