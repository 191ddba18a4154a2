'use client'

import { List, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTRPC } from '../../_trpc/client'
import { ConfirmDialog } from './ConfirmDialog'

/** The scope in which playback is ended. */
export type Ending =
  | { kind: 'video'; videoId: string; title: string; encrypted: boolean }
  | { kind: 'key'; keyId: string; name: string; working: boolean }
  | { kind: 'token'; tokenId: string }

/** Confirms that open playback sessions are ended, and shows what that affects and what it does not. */
export function EndPlaybackDialog({ ending, opened, onClose }: { ending: Ending; opened: boolean; onClose: () => void }) {
  const trpc = useTRPC()
  const client = useQueryClient()
  const done = {
    onSuccess() {
      notifications.show({ withBorder: true, message: DONE[ending.kind] })
      onClose()
      return client.invalidateQueries(trpc.video.viewers.pathFilter())
    },
  }
  const ofVideo = useMutation(trpc.video.endPlayback.mutationOptions(done))
  const ofKey = useMutation(trpc.key.endPlayback.mutationOptions(done))
  const ofToken = useMutation(trpc.traffic.endPlayback.mutationOptions(done))
  const { isPending, error } = { video: ofVideo, key: ofKey, token: ofToken }[ending.kind]
  const confirm = () => {
    if (ending.kind === 'video') ofVideo.mutate({ videoId: ending.videoId })
    else if (ending.kind === 'key') ofKey.mutate({ keyId: ending.keyId })
    else ofToken.mutate({ tokenId: ending.tokenId })
  }
  return (
    <ConfirmDialog
      title={titleOf(ending)}
      action={ending.kind === 'token' ? 'End session' : 'End playback'}
      opened={opened}
      onClose={onClose}
      onConfirm={confirm}
      busy={isPending}
      problem={error?.message}
    >
      <Text size="sm">
        {REACH[ending.kind]} Requests for playlists and content keys are refused immediately. The embed player stops within 30 seconds.
      </Text>
      <List size="sm" spacing={6}>
        <List.Item>
          Playback tokens issued in the last 5 minutes stay valid until they expire and can start new sessions. {prevention(ending)}
        </List.Item>
        <List.Item>
          {ending.kind === 'video' && !ending.encrypted
            ? 'This video is not encrypted. Segments already in a player or cache can still be watched.'
            : 'Cached segments stay encrypted. A third-party player that already has the content key can play what it has loaded.'}
        </List.Item>
      </List>
    </ConfirmDialog>
  )
}

const REACH = {
  video: 'Ends all open playback sessions of this video.',
  key: 'Ends all open playback sessions started with tokens of this key, for all videos.',
  token: 'Ends all open playback sessions started with this playback token.',
}

const DONE = { video: 'Playback ended', key: 'Playback ended for this key', token: 'Session ended' }

function titleOf(ending: Ending): string {
  if (ending.kind === 'video') return `End playback of “${ending.title}”?`
  return ending.kind === 'key' ? `End playback for “${ending.name}”?` : 'End this session?'
}

function prevention(ending: Ending): string {
  if (ending.kind === 'video') return 'To prevent this, delete the video.'
  if (ending.kind === 'token') return ''
  return ending.working
    ? 'The key can still issue new tokens. To prevent this, disable or revoke the key first.'
    : 'To end those sessions too, repeat this 5 minutes after you disabled or revoked the key.'
}
