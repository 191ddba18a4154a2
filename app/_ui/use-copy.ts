'use client'

import { useEffect, useState } from 'react'
import { copyText } from './clipboard'

export type CopyState = 'idle' | 'copied' | 'failed'

/** Returns a function that copies the text, and its result for two seconds. */
export function useCopy(text: string): [CopyState, () => void] {
  const [state, setState] = useState<CopyState>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 2_000)
    return () => clearTimeout(timer)
  }, [state])
  return [state, () => void copyText(text).then((done) => setState(done ? 'copied' : 'failed'))]
}
