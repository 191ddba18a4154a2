import { migrate } from '../server/platform/database/migrate.ts'
import { type Cell, startCell, stopCell } from './cells/cell.ts'
import { moveAccount } from './cells/move-account.ts'
import { Router } from './cells/router.ts'
import { bytesPerRow } from './cells/row-sizes.ts'
import { type Tenant, takeTokens } from './cells/tenants.ts'
import { withDatabase } from './database.ts'
import type { Row } from './report.ts'

const CELLS = 3
const TENANTS = 12
/** Playback tokens per day and key: so few that some keys exhaust them during the run. */
const QUOTA = 200
/** Callers at once, each with one request under way. */
const CALLERS = 24
const REQUESTS = 3_000

/**
 * A small run of docs/internet-scale.md: each cell is a separate database with its own server, and a router finds a key's cell. The load is
 * skewed. During the run, a cell fails and returns, and the busiest account moves to another cell. Then each key's counter must equal what
 * its callers received.
 */
export const benchCells = () =>
  withDatabase(async (env, superuserUrl): Promise<Row[]> => {
    const cells: Cell[] = []
    for (let at = 0; at < CELLS; at++) cells.push(await startCell(env, { at, superuserUrl, migrate }))
    const router = new Router(cells)
    const tenants: Tenant[] = []
    for (let at = 0; at < TENANTS; at++) tenants.push(await (cells[at % CELLS] as Cell).addTenant(QUOTA, router))

    const failing = cells[1] as Cell
    const busiest = tenants[0] as Tenant
    let moveMs = 0
    const others = { requests: 0, failed: 0 }
    await takeTokens(router, tenants, {
      callers: CALLERS,
      requests: REQUESTS,
      at: {
        [REQUESTS * 0.2]: async () => {
          moveMs = await moveAccount(router, busiest, cells[2] as Cell)
        },
        [REQUESTS * 0.4]: () => failing.fail(),
        [REQUESTS * 0.7]: () => failing.recover(),
      },
      onAnswer: (tenant, status) => {
        if (router.cellOf(tenant) === failing) return
        others.requests++
        if (![200, 429].includes(status)) others.failed++
      },
    })

    let wrong = 0
    let lost = 0
    let exhausted = 0
    for (const tenant of tenants) {
      const issued = await router.cellOf(tenant).issued(tenant)
      // A caller does not know the outcome of a request without a response: the only permitted difference.
      if (issued < tenant.granted || issued > tenant.granted + tenant.unanswered || issued > QUOTA) wrong++
      lost += issued - tenant.granted
      if (tenant.refused > 0) exhausted++
      if (tenant.refused > 0 && issued !== QUOTA) wrong++
    }
    const left = await (cells[0] as Cell).rowsOf(busiest)
    const sizes = await bytesPerRow(cells[0] as Cell)
    for (const cell of cells) await stopCell(cell)

    const count = (work: string, baseline: string, rate: number, reach: number): Row => {
      return { work, baseline, rate, ceiling: reach, ratio: rate, reach: reach + 0.5, below: true, unit: '' }
    }
    return [
      count('keys whose counter is not what callers received', `of ${TENANTS}`, wrong, 0),
      count('failed requests of other cells while one is down', `of ${others.requests}`, others.failed, 0),
      count('rows of the moved account in its former cell', 'none', left, 0),
      count(
        'tokens granted whose answer was lost',
        'requests without an answer',
        lost,
        tenants.reduce((sum, one) => sum + one.unanswered, 0),
      ),
      {
        work: 'keys that exhausted their quota',
        baseline: 'at least one',
        rate: exhausted,
        ceiling: 1,
        ratio: exhausted,
        reach: 1,
        unit: '',
      },
      { ...count('pause of the account that moves', 'bound', moveMs, 5_000), ratio: moveMs, unit: 'ms' },
      ...sizes.map(({ what, bytes, reach }): Row => ({ ...count(what, 'bound', bytes, reach), ratio: bytes, unit: 'bytes' })),
    ]
  })
