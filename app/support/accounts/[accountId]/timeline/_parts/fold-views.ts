import type { TimelineEvent } from '#server/modules/backoffice/support/timeline-sources'

/**
 * Returns the events with a staff member's consecutive page views as one, at the time of the newest: one row for each page would hide what
 * happened to the account.
 */
export function foldViews(events: readonly TimelineEvent[]): TimelineEvent[] {
  const runs: TimelineEvent[][] = []
  for (const event of events) {
    const [first] = runs.at(-1) ?? []
    const isSame =
      first && event.kind === 'support' && event.what === first.what && event.actor === first.actor && dayOf(event) === dayOf(first)
    if (isSame) runs.at(-1)?.push(event)
    else runs.push([event])
  }
  return runs.map(([first, ...rest]) => {
    const newest = first as TimelineEvent
    if (rest.length === 0) return newest
    const pages = [...new Set([newest, ...rest].flatMap(({ detail }) => detail ?? []))]
    return { ...newest, subject: null, detail: `${rest.length + 1} pages: ${pages.join(', ')}` }
  })
}

const dayOf = ({ at }: TimelineEvent) => at.toISOString().slice(0, 10)
