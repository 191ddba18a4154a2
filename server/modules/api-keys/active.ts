/** SQL: when the key of row `k` ends by itself or ended, null for never. LEAST passes nulls over. */
export const KEY_END = 'LEAST(k.revoked_at, k.expires_at)'

/** SQL: whether the key of row `k` works at `clock`: not revoked, not past its end, not at rest. The one place that says so. */
export const isActiveKey = (clock: 'service_now()' | 'service_clock()') =>
  `(k.disabled_at IS NULL AND (${KEY_END} IS NULL OR ${KEY_END} > ${clock}))`
