import type { ExplainedCheck } from '#server/modules/analytics/explain'

/** The name of each check, and what it means that it passed. */
export const CHECK_WORDS: Record<ExplainedCheck['check'], { title: string; passed: string }> = {
  route: { title: 'Route', passed: 'There is an endpoint at this address, and it takes this method.' },
  key: { title: 'Key', passed: 'The API key is known, works, and may be used from this address.' },
  token: { title: 'Token', passed: 'The playback token was issued here and had not expired.' },
  scope: { title: 'Scope', passed: 'The key has the scope that this endpoint needs.' },
  input: { title: 'Input', passed: 'The parameters and headers have values that they can have.' },
  ownership: { title: 'Ownership', passed: 'The video exists and belongs to this account.' },
  state: { title: 'State', passed: 'The video is COMPLETED and can be played.' },
  quota: { title: 'Quota', passed: 'There was quota left for a playback token.' },
  service: { title: 'Service', passed: '' },
}

export const OUTCOME_WORDS: Record<ExplainedCheck['outcome'], string> = {
  passed: 'passed',
  failed: 'failed',
  unreached: 'not reached',
  unknown: 'not determined',
}
