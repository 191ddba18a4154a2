import { ServiceError } from '../../../errors.ts'
import { query, vital } from '../../../platform/database/database.ts'
import { TOKEN_LIFETIME_SEC } from '../../access/keys/validity.ts'

/** A row is needed until its token has expired everywhere. Each exchange deletes a few older ones. */
const ONCE = `
  WITH old AS (
    DELETE FROM link_exchange WHERE token_id IN (
      SELECT token_id FROM link_exchange WHERE at < service_now() - make_interval(secs => ${2 * TOKEN_LIFETIME_SEC}) AND token_id <> $1
      ORDER BY at LIMIT 20 FOR UPDATE SKIP LOCKED))
  INSERT INTO link_exchange AS held (token_id, exchange_id) VALUES ($1, $2)
  ON CONFLICT (token_id) DO UPDATE SET exchange_id = held.exchange_id WHERE held.exchange_id = excluded.exchange_id
  RETURNING token_id`

/**
 * Records the exchange of a share link's token, which opens one session. A page that repeats its own exchange, after a response was
 * lost, gives the same `exchangeId`. Errors: PLAYBACK_TOKEN_EXPIRED, with `details.reason` ALREADY_EXCHANGED, for any other one.
 */
export async function exchangeOnce(tokenId: string, exchangeId: string | undefined): Promise<void> {
  if ((await query('link-exchange', ONCE, [tokenId, exchangeId ?? null], vital())).length > 0) return
  throw new ServiceError('PLAYBACK_TOKEN_EXPIRED', {
    message: 'This token of a share link was exchanged already. Open the link again for another view.',
    details: { reason: 'ALREADY_EXCHANGED' },
  })
}
