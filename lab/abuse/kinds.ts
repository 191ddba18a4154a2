/** What a bystander does, and the milliseconds between its requests of a kind: one user's pace. */
export const PACE_MS = {
  'GET video': 100,
  'playback token': 150,
  'exchange of a token': 150,
  playlist: 150,
  segment: 100,
  'content key': 150,
  'video list of the dashboard': 200,
  'page /sign-in': 300,
  'page /docs': 300,
  'sign-in': 1_000,
  revocation: 1_500,
} as const

export type Kind = keyof typeof PACE_MS
export const KINDS = Object.keys(PACE_MS) as Kind[]

/** Requests of one kind: milliseconds of those that succeeded, and what came of the others. */
export interface Heard {
  took: number[]
  failed: string[]
}
export type Samples = Record<Kind, Heard>
