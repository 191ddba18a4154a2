import { gauge } from '../platform/observe/metrics.ts'
import { readiness } from './health.ts'

const STATES = ['ok', 'degraded', 'unavailable']

export const HEALTH_METRICS = [
  gauge('reelgate_readiness', 'Processes by the status that /readyz reports.', async () => {
    const { status } = await readiness()
    return STATES.map((state) => ({ labels: { state }, value: Number(state === status) }))
  }),
]
