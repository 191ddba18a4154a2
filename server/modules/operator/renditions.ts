import { db } from '../../platform/database.ts'
import type { RenditionSums } from '../analytics/delivered-schema.ts'
import { renditionsOfAll } from '../analytics/rendition-sums.ts'
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
