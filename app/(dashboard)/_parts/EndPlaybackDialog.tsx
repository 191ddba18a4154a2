'use client'

import { List, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
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
  const done = {
    onSuccess() {
      notifications.show({ withBorder: true, message: DONE[ending.kind] })
      onClose()
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
        {REACH[ending.kind]} Playlists, decryption keys and renewals are refused at once. The embed player stops within half a minute.
      </Text>
      <List size="sm" spacing={6}>
        <List.Item>
          A playback token from the last 5 minutes stays valid until it expires and can open a new session. {prevention(ending)}
        </List.Item>
        <List.Item>
          {ending.kind === 'video' && !ending.encrypted
            ? 'This video is not encrypted: segments that a player or a cache holds can still be watched.'
            : 'Segments in caches stay encrypted. A player of another make that holds the key can finish what it has loaded.'}
        </List.Item>
      </List>
    </ConfirmDialog>
  )
}

const REACH = {
  video: 'Every viewing session of this video that is open now ends.',
  key: 'Every viewing session that is open now and was opened with a token of this key ends, of all videos.',
  token: 'Every viewing session that this playback token has opened ends.',
}

const DONE = { video: 'Ended playback of this video', key: 'Ended playback with this key’s tokens', token: 'Ended this session' }

function titleOf(ending: Ending): string {
  if (ending.kind === 'video') return `End playback of “${ending.title}”?`
  return ending.kind === 'key' ? `End playback with “${ending.name}”?` : 'End this session?'
}

function prevention(ending: Ending): string {
  if (ending.kind === 'video') return 'To rule that out, delete the video instead.'
  if (ending.kind === 'token') return ''
  return ending.working
    ? 'New tokens can be issued as before; to rule that out, disable or revoke the key first.'
    : 'To end such sessions too, do this again 5 minutes after the key was switched off.'
}
