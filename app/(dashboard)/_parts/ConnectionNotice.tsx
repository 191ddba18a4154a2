'use client'

import { IconPlugConnectedX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { isServerReachable, onConnectionSuspected } from '../../_trpc/connection'
import classes from './ConnectionNotice.module.css'

const LONGEST_WAIT_MS = 15_000

/** Shows while the server is unreachable that it is; then refreshes the page's data. */
export function ConnectionNotice() {
  const [lost, setLost] = useState(false)
  const client = useQueryClient()

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let state: 'fine' | 'asking' | 'lost' = 'fine'
    let tries = 0
    let ended = false
    const ask = async () => {
      clearTimeout(timer)
      const answers = await isServerReachable()
      if (ended) return
      setLost(!answers)
      if (!answers) {
        state = 'lost'
        timer = setTimeout(ask, Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** tries++))
        return
      }
      // Refetches what failed or arrived too late in the meantime.
      if (state === 'lost') void client.invalidateQueries()
      state = 'fine'
      tries = 0
    }
    const look = () => {
      if (state !== 'fine') return
      state = 'asking'
      void ask()
    }
    const again = () => void ask()
    const stop = onConnectionSuspected(look)
    window.addEventListener('offline', look)
    window.addEventListener('online', again)
    return () => {
      ended = true
      clearTimeout(timer)
      stop()
      window.removeEventListener('offline', look)
      window.removeEventListener('online', again)
    }
  }, [client])

  return (
    <div role="status" className={classes.place}>
      {lost && (
        <div className={classes.notice}>
          <IconPlugConnectedX size={17} />
          <span>
            <b>Connection lost.</b> This page may be out of date, and changes are not saved. Reconnecting automatically.
          </span>
        </div>
      )}
    </div>
  )
}
