import { useEffect, useRef } from 'react'
import { isTyping } from './use-shortcuts'

/**
 * Keeps what a person types or pastes before a field has focus, because its code may still be loading. `keep` starts; `take` stops and
 * returns the text.
 */
export function useEarlyKeys(): { keep: () => void; take: () => string } {
  const kept = useRef<string>(undefined)
  const take = () => {
    const text = kept.current ?? ''
    kept.current = undefined
    return text
  }
  useEffect(() => {
    const add = (event: Event, text: string) => {
      if (isTyping(event.target)) kept.current = undefined
      if (kept.current === undefined || text === '') return
      event.preventDefault()
      event.stopPropagation()
      kept.current += text
    }
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event
      if (key === 'Escape') kept.current = undefined
      add(event, !ctrlKey && !metaKey && !altKey && key.length === 1 ? key : '')
    }
    const paste = (event: ClipboardEvent) => add(event, event.clipboardData?.getData('text') ?? '')
    document.addEventListener('keydown', press, true)
    document.addEventListener('paste', paste, true)
    return () => {
      document.removeEventListener('keydown', press, true)
      document.removeEventListener('paste', paste, true)
    }
  }, [])
  return {
    keep: () => {
      kept.current ??= ''
    },
    take,
  }
}
