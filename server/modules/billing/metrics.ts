import { query } from '../../platform/database/database.ts'
import { gaugesFromDatabase } from '../../platform/observe/metric-readings.ts'
import { CLOSABLE } from './close-hours.ts'

export const LEDGER_METRICS = gaugesFromDatabase(
  {
    reelgate_ledger_open_hours: 'Ended hours of usage, by key, that are not in the ledger yet.',
    reelgate_ledger_close_lag_seconds: 'How long ago the oldest of these hours ended; 0 if there is none.',
  },
  async () => {
    const [row] = await query<{ open: number; lag: number }>('metric-ledger', OPEN, [])
    return { reelgate_ledger_open_hours: row?.open, reelgate_ledger_close_lag_seconds: row?.lag }
  },
)

const OPEN = `
  SELECT count(*)::int AS open, coalesce(extract(epoch FROM service_now() - min(hour) - interval '1 hour'), 0)::float8 AS lag
  FROM charge_hour WHERE ${CLOSABLE}`
