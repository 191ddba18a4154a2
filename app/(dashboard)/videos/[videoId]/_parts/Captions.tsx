'use client'

import { ActionIcon, Button, Group } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconDownload, IconPlus, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import type { ReactNode } from 'react'
import type { DashboardDetail } from '#server/modules/dashboard/get-video'
import { useTRPC } from '../../../../_trpc/client'
import { formatCount } from '../../../../_ui/format'
import { Panel } from '../../../../_ui/Panel'
import classes from './Captions.module.css'

const CaptionsDialog = dynamic(() => import('../../../_parts/videos/CaptionsDialog').then((module) => module.CaptionsDialog), {
  ssr: false,
})

/** Shows what was done, with a button that undoes it where that is possible. */
function offerUndo(id: string, did: ReactNode, undo: (() => void) | undefined): void {
  const onClick = () => {
    notifications.hide(id)
    undo?.()
  }
  notifications.show({
    id,
    autoClose: 10_000,
    withBorder: true,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <span>{did}</span>
        {undo && (
          <Button size="compact-sm" variant="light" onClick={onClick}>
            Undo
          </Button>
        )}
      </Group>
    ),
  })
}

/** Lists captions by language, to add, replace and remove. */
export function Captions({ video, mayChange }: { video: DashboardDetail; mayChange: boolean }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const [adding, add] = useDisclosure(false)
  const settled = {
    onSettled: () => client.invalidateQueries(trpc.video.pathFilter()),
    onError: ({ message }: { message: string }) => notifications.show({ color: 'red', title: 'Something went wrong', message }),
  }
  const restore = useMutation(trpc.video.putCaptions.mutationOptions(settled))
  const remove = useMutation(
    trpc.video.removeCaptions.mutationOptions({
      ...settled,
      onSuccess({ label, text }, { language }) {
        const undo = text === null ? undefined : () => restore.mutate({ videoId: video.id, language, label, text, expected: null })
        offerUndo(
          `captions-${video.id}-${language}`,
          <>
            Removed the captions <b>{label}</b>
          </>,
          undo,
        )
      },
    }),
  )

  return (
    <Panel
      title="Captions"
      action={
        mayChange && (
          <Button size="compact-sm" variant="default" leftSection={<IconPlus size={14} />} onClick={add.open}>
            Add captions
          </Button>
        )
      }
    >
      {video.captions.length === 0 ? (
        <p className={classes.none}>No captions yet.{mayChange && ' Add a WebVTT or SRT file for each language.'}</p>
      ) : (
        <ul className={classes.list}>
          {video.captions.map(({ language, label, cues, url }) => (
            <li key={language} className={classes.row}>
              <div className={classes.text}>
                <div>{label}</div>
                <div className={classes.note}>
                  <code>{language}</code> · {formatCount(cues)} {cues === 1 ? 'line' : 'lines'}
                </div>
              </div>
              {url && (
                <ActionIcon component="a" href={url} target="_blank" variant="subtle" color="gray" aria-label={`Open ${label}`}>
                  <IconDownload size={16} />
                </ActionIcon>
              )}
              {mayChange && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove ${label}`}
                  loading={remove.isPending && remove.variables.language === language}
                  onClick={() => remove.mutate({ videoId: video.id, language })}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChange && <CaptionsDialog opened={adding} onClose={add.close} video={video} />}
    </Panel>
  )
}
