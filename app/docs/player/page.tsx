import type { Metadata } from 'next'
import { env } from '#server/platform/config'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'The player' }
// SDK_URL is the installation's own, known at run time.
export const dynamic = 'force-dynamic'

const PARAMETERS = [
  ['t', 'start', 'Where to begin: 90, 90s, 1m30s, 1:30.'],
  ['autoplay', 'autoplay', 'Begin by itself; silently where the browser allows nothing else.'],
  ['muted', 'muted', 'Begin without sound.'],
  ['loop', 'loop', 'Begin again at the end.'],
  ['color', 'color', 'Accent, as 3 or 6 hexadecimal digits: ff6600. One too dark to be seen is lightened.'],
  ['title', 'show-title', '0 hides the title.'],
] as const

const EVENTS = [
  ['ready', 'Length and size of the picture are known.'],
  ['play, pause, ended', 'As for any video.'],
  ['timeupdate, seeked', 'currentTime has moved.'],
  ['volumechange, ratechange', 'The viewer turned the sound or the speed.'],
  ['error', 'The player shows a message instead of the video. event.detail: reason, code (one of the API’s), message.'],
] as const

export default function Player() {
  const { SDK_URL } = env()
  const frame = `<iframe src="${SDK_URL}/embed/VIDEO_ID?token=TOKEN" allow="autoplay; fullscreen; picture-in-picture" style="width: 100%; aspect-ratio: 16 / 9; border: 0"></iframe>`
  const element = `<script async src="${SDK_URL}/player/reelgate-player.js"></script>

<reelgate-player token="TOKEN"></reelgate-player>`
  const events = `const player = document.querySelector('reelgate-player')

player.addEventListener('ended', () => showNextLesson())
player.addEventListener('error', async ({ detail }) => {
  // A page that was open for long before somebody pressed play.
  if (detail.code === 'PLAYBACK_TOKEN_EXPIRED') player.setAttribute('token', await freshToken())
})

player.currentTime = 90
player.play()`
  return (
    <Guide href="/docs/player" title="The player" lead="A frame, or an element with events. Both need nothing but a playback token.">
      <Section id="frame" title="In a frame">
        <Snippet label="HTML" code={frame} />
        <p>
          This is <code>playerUrl</code> of the <a href="/docs/playback">token’s answer</a>; parameters follow it with <code>&amp;</code>.
        </p>
      </Section>
      <Section id="element" title="As an element">
        <p>
          A script of 2 KB. The element is as wide as its place and takes the shape of the picture; a height of your own wins. The video’s
          id may stand in <code>video-id</code>; without it the token’s is taken.
        </p>
        <Snippet label="HTML" code={element} />
        <p>
          It has <code>play()</code>, <code>pause()</code>, <code>currentTime</code>, <code>duration</code>, <code>paused</code>,{' '}
          <code>ended</code>, <code>muted</code>, <code>volume</code> and <code>playbackRate</code>. A new <code>token</code> loads the
          player anew.
        </p>
        <Snippet label="JavaScript" code={events} />
        <Table
          label="Events"
          rows={EVENTS}
          keyOf={([name]) => name}
          columns={[
            { title: 'Event', cell: ([name]) => <code>{name}</code>, phone: 'wide' },
            { title: 'When', cell: ([, when]) => when, phone: 'wide' },
          ]}
        />
      </Section>
      <Section id="parameters" title="Parameters and attributes">
        <Table
          label="Parameters and attributes"
          rows={PARAMETERS}
          keyOf={([parameter]) => parameter}
          columns={[
            { title: 'Parameter', cell: ([parameter]) => <code>{parameter}</code> },
            { title: 'Attribute', cell: ([, attribute]) => <code>{attribute}</code> },
            { title: 'What it does', cell: ([, , does]) => does, phone: 'wide' },
          ]}
        />
        <p>Flags are on when they are there, unless they say 0 or false.</p>
      </Section>
      <Section id="sites" title="On which sites">
        <p>
          On any, until an owner lists domains in the dashboard’s settings. From then on browsers show the player in pages of those alone,
          whatever token they hold.
        </p>
      </Section>
      <Section id="keys" title="With a keyboard">
        <p>
          Space or K plays and pauses, the arrows seek and turn the sound, M mutes, C shows captions, F fills the screen, P opens
          picture-in-picture where the browser has it.
        </p>
      </Section>
      <Section id="pauses" title="After a pause">
        <p>
          A token is needed once, within five minutes. From then on the open player keeps its session alive by itself, so a film goes on
          after an hour on a train or a night with the lid closed, for a day after it was opened. A deleted video ends with what the browser
          still holds.
        </p>
      </Section>
      <Section id="reports" title="What it reports">
        <p>
          How long the picture took to come, how long was watched and waited, and what failed: that is what the charts on a video’s page are
          made of. Nothing says who watches, and no cookie is set.
        </p>
      </Section>
    </Guide>
  )
}
