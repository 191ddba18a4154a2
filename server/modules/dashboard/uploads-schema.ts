import { z } from 'zod'
import { pageCursor } from '../../platform/text/schema.ts'
import type { UploadStatus } from '../uploads/direct/direct-schema.ts'

/** The groups of uploads that the dashboard lists, and the API statuses in each. */
export const UPLOAD_GROUPS = {
  open: ['waiting', 'uploading'],
  completed: ['completed'],
  failed: ['failed'],
  expired: ['expired'],
} as const satisfies Record<string, readonly UploadStatus[]>
export type UploadGroup = keyof typeof UPLOAD_GROUPS

export const uploadListInput = z.object({
  group: z.enum(Object.keys(UPLOAD_GROUPS) as [UploadGroup, ...UploadGroup[]]).optional(),
  cursor: pageCursor.optional(),
})
export type UploadListInput = z.output<typeof uploadListInput>

export const uploadIdInput = z.object({ uploadId: z.string().max(100) })
