// Balance and usage (specification §4.5; their payloads are additive).
import { BALANCE_FIELDS, USAGE_COUNTS, USAGE_DAY_FIELDS } from '../contract.mjs'

const ADDRESSES = ['/v1/billing/balance', '/v1/billing/usage']
const MICRO = 1_000_000n

/** Returns a decimal string in millionths. */
const micro = (text) => {
  const [whole, rest = ''] = text.split('.')
  return BigInt(whole) * MICRO + BigInt(rest.padEnd(6, '0'))
}

export const billingChecks = [
  {
    id: 'billing.key-required',
    section: '5.2',
    title: 'Balance and usage without a key: 401 API_KEY_REQUIRED',
    needs: [],
    async run(seen, { client }) {
      for (const path of ADDRESSES) seen.error(await client.request(path), 'API_KEY_REQUIRED')
    },
  },
  {
    id: 'billing.scope',
    section: '5.4',
    title: 'A key without billing:read: 403 INSUFFICIENT_SCOPE',
    needs: ['noBillingKey'],
    async run(seen, { client, noBillingKey: key }) {
      for (const path of ADDRESSES)
        seen.error(await client.request(path, { key }), 'INSUFFICIENT_SCOPE', { details: (value) => value?.needs === 'billing:read' })
    },
  },
  {
    id: 'billing.balance',
    section: '4.5',
    title: 'The balance is a decimal string of credits, without rate limit headers',
    needs: ['billingKey'],
    async run(seen, { client, billingKey: key }) {
      const response = await client.request('/v1/billing/balance', { key })
      seen.fields('balance', seen.success(response), BALANCE_FIELDS)
      seen.header(response, 'cache-control', 'no-store')
      seen.noCounters(response)
    },
  },
  {
    id: 'billing.usage',
    section: '4.5',
    title: 'Usage defaults to the current month, its days lie within the range, and the totals are their sums',
    needs: ['billingKey'],
    async run(seen, { client, billingKey: key }) {
      const response = await client.request('/v1/billing/usage', { key })
      const usage = seen.success(response) ?? {}
      seen.fields('usage', usage, { from: isDate, to: isDate, totals: () => true, days: Array.isArray, storage: () => true }, ['storage'])
      seen.equal('first day', usage.from, `${usage.to?.slice(0, 7)}-01`)
      seen.fields('totals', usage.totals, USAGE_COUNTS)
      for (const day of usage.days) {
        seen.fields(`day ${day.date}`, day, USAGE_DAY_FIELDS)
        seen.that(`date ${day.date}`, day.date >= usage.from && day.date <= usage.to, `from ${usage.from} to ${usage.to}`, day.date)
      }
      for (const name of ['tokensIssued', 'tokensRefused', 'requests'])
        seen.equal(
          `sum of ${name}`,
          usage.totals[name],
          usage.days.reduce((sum, day) => sum + day[name], 0),
        )
      seen.equal(
        'sum of credits',
        String(micro(usage.totals.credits)),
        String(usage.days.reduce((sum, day) => sum + micro(day.credits), 0n)),
      )
      seen.noCounters(response)
    },
  },
  {
    id: 'billing.span',
    section: '4.5',
    title: 'A range of UTC dates is inclusive; an invalid one returns 400 INVALID_REQUEST',
    needs: ['billingKey'],
    async run(seen, { client, billingKey: key }) {
      const usage = (search) => client.request(`/v1/billing/usage?${search}`, { key })
      const one = seen.success(await usage('from=2026-01-31&to=2026-01-31'))
      seen.equal('span', [one?.from, one?.to], ['2026-01-31', '2026-01-31'])
      for (const search of ['from=yesterday', 'to=2026-02-30', 'from=2026-02-01&to=2026-01-31', 'from=2020-01-01&to=2026-01-01'])
        seen.error(await usage(search), 'INVALID_REQUEST', { details: Array.isArray })
    },
  },
]

const isDate = (value) => /^\d{4}-\d\d-\d\d$/.test(value)
