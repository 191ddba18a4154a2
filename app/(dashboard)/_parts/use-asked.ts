import { useSearchParams } from 'next/navigation'
import { useEffect } from 'react'

/** Calls `open` with what the address asks to open (`?open=limits`) if it is one of `choices`, once, and takes it out of the address. */
export function useAsked<Choice extends string>(choices: readonly Choice[], open: (choice: Choice) => void): void {
  const asked = useSearchParams().get('open')
  const choice = choices.find((one) => one === asked)
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each address
  useEffect(() => {
    if (!choice) return
    const address = new URL(window.location.href)
    address.searchParams.delete('open')
    window.history.replaceState(null, '', address)
    open(choice)
  }, [choice])
}
