const MARK = { passed: '✓', drifted: '✗', skipped: '–' }
const MOST_DRIFTS = 12

/** Formats the report as a text table. */
export function asTable({ checks, summary, conforms, baseUrl, ms }) {
  const wide = Math.max(...checks.map(({ id }) => id.length))
  const section = Math.max(...checks.map((check) => check.section.length))
  const lines = checks.flatMap((check) => [
    `${MARK[check.outcome]} ${check.id.padEnd(wide)}  §${check.section.padEnd(section)}  ${check.title}`,
    ...(check.needs ?? []).map((need) => `${' '.repeat(wide + 4)}skipped: needs ${need}`),
    ...driftLines(check.drifts ?? [], ' '.repeat(wide + 4)),
  ])
  const { passed, drifted, skipped, requests } = summary
  const verdict = conforms ? 'conforms to v1' : 'DRIFTS from v1'
  const foot = `${baseUrl} ${verdict}: ${passed} passed, ${drifted} drifted, ${skipped} skipped; ${requests} requests in ${(ms / 1000).toFixed(1)} s`
  return `${lines.join('\n')}\n\n${foot}\n`
}

function driftLines(drifts, indent) {
  const shown = drifts
    .slice(0, MOST_DRIFTS)
    .map(({ what, expected, actual }) => `${indent}${what}: expected ${brief(expected)}, got ${brief(actual)}`)
  const more = drifts.length - shown.length
  return more > 0 ? [...shown, `${indent}… and ${more} more`] : shown
}

function brief(value) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 160 ? `${text.slice(0, 157)}…` : text
}
