import { useRouter } from 'next/navigation'
import { LOG_DAYS } from '#server/modules/analytics/limits'

const DAY_MS = 86_400_000

/** Returns what opens the requests behind the periods of a chart: those that match `filter`, as far back as the log is kept. */
export function useOpenRequests(filter: Record<string, string> = {}) {
  const router = useRouter()
  return {
    openFrom: new Date(Date.now() - (LOG_DAYS - 1) * DAY_MS).toISOString().slice(0, 10),
    onOpen: (span: { from: string; to: string }) => router.push(`/requests?${new URLSearchParams({ ...filter, ...span })}`),
  }
}
