import type { ListedKey } from '#server/modules/dashboard/list-keys'

/** Returns whether support or the operator disabled the key: enabling it again is then no everyday action. */
export const isByStaff = ({ disabledBy }: Pick<ListedKey, 'disabledBy'>): boolean =>
  disabledBy?.kind === 'support' || disabledBy?.kind === 'operator'
