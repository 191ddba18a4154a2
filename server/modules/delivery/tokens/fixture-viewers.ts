import type { PlaybackPolicy, SessionPolicy } from './policy.ts'

/**
 * Viewer IDs that only test keys recognize, so that a backend's tests can produce every refusal of a policy, and the policy that each one
 * gets: a country and an address that nobody has (RFC 5737), no place, and the lowest rendition alone.
 */
export const FIXTURE_VIEWERS: Record<string, { description: string; policy: PlaybackPolicy }> = {
  test_country: { description: 'We refuse the exchange with the reason `COUNTRY`.', policy: { countries: ['ZZ'] } },
  test_address: { description: 'We refuse the exchange with the reason `ADDRESS`.', policy: { addresses: ['192.0.2.1'] } },
  test_sessions: { description: 'We refuse the exchange with the reason `SESSIONS`.', policy: { maxSessions: 0 } },
  test_height: {
    description: 'The session offers the lowest rendition. We refuse the playlists and keys of higher ones with the reason `HEIGHT`.',
    policy: { maxHeight: 1 },
  },
}

/** Returns the policy of a test key's token: marked as a test if it names a viewer, and with what a fixture viewer gets. */
export function policyForTest(policy: PlaybackPolicy): PlaybackPolicy & Pick<SessionPolicy, 'test'> {
  const { viewer } = policy
  if (!viewer) return policy
  const fixture = Object.hasOwn(FIXTURE_VIEWERS, viewer.id) ? FIXTURE_VIEWERS[viewer.id] : undefined
  return { ...policy, ...fixture?.policy, test: true }
}
