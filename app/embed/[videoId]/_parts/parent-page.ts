import { CHANNEL, type PlayerCommand, type PlayerState } from '../../../_parts/player/channel.ts'
import type { PlayerEvent } from './messages.ts'
import { video } from './stage.ts'

/** Sends an event to the page around the player, if there is one. */
export function postToParent(event: PlayerEvent): void {
  if (parent !== window) parent.postMessage({ channel: CHANNEL, state: stateNow(), ...event }, '*')
}

function stateNow(): PlayerState {
  const { currentTime, duration, paused, ended, muted, volume, playbackRate, videoWidth, videoHeight } = video
  const known = Number.isFinite(duration) ? duration : 0
  return { currentTime, duration: known, paused, ended, muted, volume, playbackRate, videoWidth, videoHeight }
}

/** Forwards the video's events to the page around the player and executes its commands. */
export function listenToParent(play: () => void): void {
  if (parent === window) return
  for (const type of ['play', 'pause', 'timeupdate', 'seeked', 'ended', 'volumechange', 'ratechange'] as const) {
    video.addEventListener(type, () => postToParent({ type }))
  }
  video.addEventListener('loadedmetadata', () => postToParent({ type: 'ready' }))
  addEventListener('message', ({ source, data }: MessageEvent<Partial<PlayerCommand> | null>) => {
    if (source === parent && data?.channel === CHANNEL) obey(data as PlayerCommand, play)
  })
}

function obey(asked: PlayerCommand, play: () => void): void {
  switch (asked.command) {
    case 'play':
      play()
      return
    case 'pause':
      video.pause()
      return
    case 'mute':
      video.muted = Boolean(asked.value)
      return
  }
  if (!Number.isFinite(asked.value)) return
  if (asked.command === 'seek') video.currentTime = Math.max(0, asked.value)
  else if (asked.command === 'volume') video.volume = Math.min(1, Math.max(0, asked.value))
  else if (asked.command === 'rate') video.playbackRate = Math.min(4, Math.max(0.25, asked.value))
}
