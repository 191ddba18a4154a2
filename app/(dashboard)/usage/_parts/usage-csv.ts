import type { Usage } from '#server/modules/analytics/usage'

/** Returns the page's numbers as rows: one per hour or day, with a column per part of the split. */
export function usageRows({ unit, points, plays, series }: Usage): (string | number)[][] {
  const daily = unit === 'day'
  const head = [daily ? 'day_utc' : 'hour_utc', 'requests', 'failed_requests', 'tokens_issued', 'tokens_refused']
  const rows = points.map(({ at, requests, failed, issued, refused }, position) => [
    at,
    requests,
    failed,
    issued,
    refused,
    ...(daily ? [plays[position]?.plays ?? 0] : []),
    ...series.map(({ values }) => values[position] ?? 0),
  ])
  return [[...head, ...(daily ? ['plays'] : []), ...series.map(({ label }) => `requests: ${label}`)], ...rows]
}
