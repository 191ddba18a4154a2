'use client'

import { Button } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useSuspenseQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import type { ListedKey } from '#server/key/list'
import { useTRPC } from '../../../_trpc/client'
import { EmptyState } from '../../../_ui/EmptyState'
import { PageHeader } from '../../../_ui/PageHeader'
import classes from './Keys.module.css'
import { KeyTable } from './KeyTable'

const NewKeyDialog = dynamic(() => import('./NewKeyDialog').then((module) => module.NewKeyDialog), { ssr: false })
const RotateDialog = dynamic(() => import('./RotateDialog').then((module) => module.RotateDialog), { ssr: false })
const RevokeDialog = dynamic(() => import('./RevokeDialog').then((module) => module.RevokeDialog), { ssr: false })

/** The account's API keys. */
export function Keys() {
  const trpc = useTRPC()
  const { data: keys } = useSuspenseQuery(trpc.key.list.queryOptions(undefined, { refetchOnWindowFocus: true, staleTime: 5_000 }))
  const [making, setMaking] = useState({ open: false, times: 0 })
  const [asked, setAsked] = useState<{ to: 'rotate' | 'revoke'; key: ListedKey; open: boolean }>()

  const Dialog = asked?.to === 'rotate' ? RotateDialog : RevokeDialog
  const generate = (
    <Button leftSection={<IconPlus size={15} />} onClick={() => setMaking(({ times }) => ({ open: true, times: times + 1 }))}>
      Generate New Key
    </Button>
  )

  return (
    <>
      <PageHeader
        title="API Keys"
        purpose="Your backend sends a key in the x-service-key header. Keep keys on servers, never in a page or an app."
        action={generate}
      />
      {keys.length > 0 ? (
        <KeyTable
          keys={keys}
          onRotate={(key) => setAsked({ to: 'rotate', key, open: true })}
          onRevoke={(key) => setAsked({ to: 'revoke', key, open: true })}
        />
      ) : (
        <div className={classes.none}>
          <EmptyState icon={<IconKey size={20} />} title="No keys yet" action={generate}>
            A key lets your backend list videos, read their metadata and issue playback tokens.
          </EmptyState>
        </div>
      )}
      {making.times > 0 && (
        <NewKeyDialog key={making.times} opened={making.open} onClose={() => setMaking((now) => ({ ...now, open: false }))} />
      )}
      {asked && (
        <Dialog
          key={`${asked.to} ${asked.key.id}`}
          subject={asked.key}
          opened={asked.open}
          onClose={() => setAsked({ ...asked, open: false })}
        />
      )}
    </>
  )
}
