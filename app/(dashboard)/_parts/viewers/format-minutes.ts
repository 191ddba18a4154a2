import { formatCount } from '../../../_ui/format'

/** Formats minutes with grouping, and with a decimal below ten. */
export const formatMinutes = (minutes: number) => (minutes > 0 && minutes < 10 ? minutes.toFixed(1) : formatCount(Math.round(minutes)))
