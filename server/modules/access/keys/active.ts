/** SQL: when the key of row `k` ends or ended, null for never. LEAST ignores nulls. */
export const KEY_END = 'LEAST(k.revoked_at, k.expires_at)'

/** SQL: whether the key of row `k` works at `clock`: not revoked, not expired, not disabled. The only definition of this rule. */
export const isActiveKey = (clock: 'service_now()' | 'service_clock()') =>
  `(k.disabled_at IS NULL AND (${KEY_END} IS NULL OR ${KEY_END} > ${clock}))`
