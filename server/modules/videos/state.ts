import type { z } from 'zod'
import type { videoStatus } from './schema.ts'

export type VideoStatus = z.output<typeof videoStatus>

/** Allowed transitions of a video's status (specification §3). No other code changes a status. */
export const TRANSITIONS = {
  PENDING: ['PROCESSING'],
  /** Back to PENDING if its worker stopped or was lost. */
  PROCESSING: ['COMPLETED', 'FAILED', 'PENDING'],
  COMPLETED: [],
  /** Retried from the dashboard, or its source was replaced and the new one is COMPLETED. */
  FAILED: ['PENDING', 'COMPLETED'],
} as const satisfies Record<VideoStatus, readonly VideoStatus[]>

export const canBecome = (from: VideoStatus, to: VideoStatus): boolean => (TRANSITIONS[from] as readonly VideoStatus[]).includes(to)
