import { reseal } from '../../platform/reseal.ts'

/** Seals the videos' content keys under the first master key. Part of the job `key.rewrap`; returns the counts of `reseal`. */
export const rewrapContentKeys = (signal: AbortSignal): Promise<{ sealed: number; unreadable: number }> =>
  reseal({ table: 'video', id: 'id', column: 'content_key', ownerOf: (videoId) => videoId }, signal)
