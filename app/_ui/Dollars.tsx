import { formatDollars, formatExactDollars } from './format'

/** Shows an amount in US dollars; of one below a cent, the exact one at the pointer. */
export function Dollars({ amount }: { amount: number }) {
  const [text, exact] = [formatDollars(amount), formatExactDollars(amount)]
  return text === exact ? text : <span title={exact}>{text}</span>
}
