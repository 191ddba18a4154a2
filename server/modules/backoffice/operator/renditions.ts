import { db } from '../../../platform/database/database.ts'
import type { RenditionSums } from '../../analytics/delivered/delivered-schema.ts'
import { renditionsOfAll } from '../../analytics/delivered/rendition-sums.ts'
import { type OperatorCtx, requireCurrentOperator } from './operator.ts'

/** Days of the delivered bytes, the present one included. */
const DAYS = 30

/** Bytes of all accounts by rendition and codec. */
export interface InstallationRenditions {
  days: number
  renditions: RenditionSums[]
}

/** Returns what is stored now and was delivered in 30 days, by rendition. Errors: as `requireCurrentOperator`. */
export async function installationRenditions(ctx: OperatorCtx): Promise<InstallationRenditions> {
  await requireCurrentOperator(db(), ctx)
  return { days: DAYS, renditions: await renditionsOfAll(DAYS) }
}
