import { forecastWatch, HORIZON_DAYS, type WatchHistory } from './forecast.ts'
import { type CodecFacts, encodingCost, type Prices, savedByWatching, storageCost, type VideoFacts } from './money.ts'

/** What a further codec of a video is expected to save and to cost in the next 30 days, in US dollars. */
export interface Forecast {
  /** Seconds that viewers will watch. */
  watchSec: number
  /** Of delivery. */
  saving: number
  storage: number
  encoding: number
  /** `saving` less both costs. */
  net: number
}

export interface Terms {
  codec: CodecFacts
  prices: Prices
}

/** Returns what the codec is expected to save and to cost. Pure. */
export function forecastCodec(video: VideoFacts, history: WatchHistory, { codec, prices }: Terms): Forecast {
  const watchSec = forecastWatch(history)
  const saving = savedByWatching(video, codec, prices, watchSec)
  const storage = storageCost(video, codec, prices, HORIZON_DAYS)
  const encoding = encodingCost(video, codec, prices)
  return { watchSec, saving, storage, encoding, net: saving - storage - encoding }
}

/** Whether the codec is worth encoding. */
export const isWorthEncoding = ({ net }: Forecast): boolean => net > 0

/** Days for which renditions are kept in any case: their cost is spent, and an audience may pause. */
export const KEPT_DAYS = 7
/** Share of its storage that a codec may save without being removed. Below 1: what is removed must be encoded again to come back. */
const KEPT_SHARE = 0.5

/** Whether the renditions of a codec that were complete `storedDays` ago cost more than they will save. */
export const isWorthEvicting = ({ saving, storage }: Pick<Forecast, 'saving' | 'storage'>, storedDays: number): boolean =>
  storedDays >= KEPT_DAYS && saving < KEPT_SHARE * storage
