import { useEffect, useRef } from 'react'
import { isTyping } from './use-shortcuts'

/**
 * Keeps what is typed or pasted between the request for a field and its focus: the program of the field may still load. Returns functions
 * that begin to keep, and that return the text and end it.
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
