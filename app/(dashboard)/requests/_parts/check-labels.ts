import type { ExplainedCheck } from '#server/modules/analytics/requests/explain'

/** The name of each check, and what it means that it passed. */
export const CHECK_LABELS: Record<ExplainedCheck['check'], { title: string; passed: string }> = {
  route: { title: 'Route', passed: 'The endpoint exists and supports this method.' },
  key: { title: 'Key', passed: 'The API key is active and allowed from this IP address.' },
  token: { title: 'Token', passed: 'The playback token was issued by this service and had not expired.' },
  scope: { title: 'Scope', passed: 'The key has the scope that this endpoint requires.' },
  input: { title: 'Input', passed: 'The parameters and headers are valid.' },
  ownership: { title: 'Ownership', passed: 'The video exists and belongs to this account.' },
  state: { title: 'State', passed: 'The video is COMPLETED and can be played.' },
  quota: { title: 'Quota', passed: 'The key had quota left for a playback token.' },
  service: { title: 'Service', passed: '' },
}

export const OUTCOME_LABELS: Record<ExplainedCheck['outcome'], string> = {
  passed: 'passed',
  failed: 'failed',
  unreached: 'not reached',
  unknown: 'not determined',
}
