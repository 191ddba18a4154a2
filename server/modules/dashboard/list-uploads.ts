import type { AccountCtx } from '../../context.ts'
import { db } from '../../platform/database/database.ts'
import { type ListedUpload, pageOfUploads } from '../uploads/direct/list-direct.ts'
import { failureAdvice } from '../uploads/failure-advice.ts'
import { filenameOf } from '../uploads/import/import-rows.ts'
import { UPLOAD_GROUPS, type UploadListInput } from './uploads-schema.ts'

const PAGE = 50

/** `retrying`: an import whose last attempt failed, before its next one. */
export type UploadState = 'waiting' | 'uploading' | 'retrying' | 'completed' | 'expired' | 'cancelled' | 'failed'

export interface DashboardUpload {
  id: string
  state: UploadState
  /** The chosen title, or an import's file name. Null for an upload that takes its title from a file name not known yet. */
  title: string | null
  externalId: string | null
  bytesReceived: number
  /** Null while unknown, and after a failure. */
  bytesTotal: number | null
  /** Where an import's file is, without the URL's query. Null for an upload. */
  source: { host: string; url: string; hasQuery: boolean } | null
  /** For an upload that did not complete: why, and what to do. */
  failure: { reason: string; advice: string | null } | null
  /** For an open import whose last attempt failed. `nextAt` is null once the next one has started. */
  retry: { reason: string; attempts: number; maxAttempts: number; nextAt: Date | null } | null
  /** The key or member that created it. Null for a member who no longer exists. */
  creator: { keyId: string; name: string } | { email: string } | null
  /** The video that it became, or whose source it replaces. Null before that, and once that video is deleted. */
  video: { id: string; title: string } | null
  replaces: boolean
  /** Whether it is an import that ended without a video. */
  canImportAgain: boolean
  createdAt: Date
  expiresAt: Date
}

/**
 * Returns one page of the account's API uploads and imports, newest first. Errors: INVALID_REQUEST for a cursor that this list did not
 * issue.
 */
export async function listUploads(
  ctx: AccountCtx,
  { group, cursor }: UploadListInput,
): Promise<{ uploads: DashboardUpload[]; nextCursor: string | null }> {
  const status = group && { status: UPLOAD_GROUPS[group] }
  const { page, pagination } = await pageOfUploads(ctx, { ...status, limit: PAGE, ...(cursor !== undefined && { cursor }) })
  const { accountId } = ctx
  const [keys, videos] = await Promise.all([
    db().apiKey.findMany({
      where: { accountId, id: { in: page.flatMap(({ row }) => row.keyId ?? []) } },
      select: { id: true, name: true },
    }),
    db().video.findMany({
      where: { accountId, deletedAt: null, id: { in: page.map(videoOf).filter((id) => id !== null) } },
      select: { id: true, title: true },
    }),
  ])
  const byId = { keys: new Map(keys.map(({ id, name }) => [id, name])), videos: new Map(videos.map((video) => [video.id, video])) }
  return {
    uploads: page.map((one) => present(one, byId.keys, byId.videos.get(videoOf(one) ?? '') ?? null)),
    nextCursor: pagination.nextCursor,
  }
}

const videoOf = ({ row, upload }: ListedUpload) => row.fields.replaces ?? upload.videoId

function present({ row, upload }: ListedUpload, keys: Map<string, string>, video: DashboardUpload['video']): DashboardUpload {
  const { keyId, userEmail, importedFrom, hasQuery, state } = row
  const { failureCode, failureReason, retry } = upload
  const email = userEmail === null ? null : { email: userEmail }
  return {
    id: upload.uploadId,
    state: stateOf(upload),
    title: upload.title ?? (importedFrom === null ? null : filenameOf(importedFrom) || null),
    externalId: upload.externalId,
    bytesReceived: upload.bytesReceived,
    bytesTotal: upload.bytesTotal,
    source: importedFrom === null ? null : { host: new URL(importedFrom).host, url: importedFrom, hasQuery },
    failure:
      failureCode === null || failureReason === null
        ? null
        : { reason: failureReason, advice: failureAdvice(failureCode, importedFrom !== null) },
    retry: retry && {
      reason: retry.failureReason,
      attempts: retry.attempts,
      maxAttempts: retry.maxAttempts,
      nextAt: retry.nextAttemptAt === null ? null : new Date(retry.nextAttemptAt),
    },
    creator: keyId === null ? email : { keyId, name: keys.get(keyId) ?? keyId },
    video,
    replaces: row.fields.replaces !== undefined,
    canImportAgain: importedFrom !== null && (state === 'failed' || state === 'expired'),
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  }
}

function stateOf({ status, failureCode, retry }: ListedUpload['upload']): UploadState {
  if (status === 'failed' && failureCode === 'CANCELLED') return 'cancelled'
  return retry?.nextAttemptAt ? 'retrying' : status
}
