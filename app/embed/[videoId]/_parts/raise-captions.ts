import { player, video } from './stage.ts'

/** Height of a line of captions as a share of the video's height. The font size is 5 % of it. */
const LINE = 0.06

/** Moves captions above the controls while these show, in browsers where player.css cannot, such as Firefox. */
export function raiseCaptions(): void {
  if (CSS.supports('selector(::-webkit-media-text-track-container)')) return
  const raised = new Set<VTTCue>()
  const place = () => {
    for (const cue of raised) cue.line = 'auto'
    raised.clear()
    if (player.hasAttribute('userinactive') && !player.hasAttribute('mediapaused')) return
    const controls = Number.parseFloat(getComputedStyle(player).getPropertyValue('--controls')) || 0
    const below = Math.ceil(controls / (video.clientHeight * LINE))
    for (const cue of [...video.textTracks].filter(({ mode }) => mode === 'showing').flatMap(({ activeCues }) => [...(activeCues ?? [])])) {
      if (!(cue instanceof VTTCue) || cue.line !== 'auto' || !cue.snapToLines) continue
      cue.line = -below - cue.text.split('\n').length
      raised.add(cue)
    }
  }
  new MutationObserver(place).observe(player, { attributeFilter: ['userinactive', 'mediapaused'] })
  video.textTracks.addEventListener('change', place)
  const follow = (track: TextTrack | null) => track?.addEventListener('cuechange', place)
  for (const track of video.textTracks) follow(track)
  video.textTracks.addEventListener('addtrack', ({ track }) => follow(track))
}
