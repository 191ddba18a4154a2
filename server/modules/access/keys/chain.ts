/** SQL: the id of the rotation chain of the key of row `k`; the key's own id if it was never rotated. */
export const CHAIN = 'COALESCE(k.quota_group, k.id)'

/**
 * SQL: the ids of a key and of all keys that replaced it, or that it replaced, by rotation, as an array. `key` and `account` are the
 * parameters with the key's id and its account's; empty for another account's key.
 */
export const chainOf = (key: string, account: string) => `ARRAY(
    SELECT member.id FROM api_key one JOIN api_key member
      ON member.account_id = one.account_id AND (member.id = one.id OR member.quota_group = one.quota_group)
    WHERE one.id = ${key} AND one.account_id = ${account})`
