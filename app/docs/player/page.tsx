import type { Metadata } from 'next'
import { env } from '#server/platform/config'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'
import { PLAYER_ERRORS } from './_parts/errors'
import { EVENTS_PROGRAM } from './_parts/events-program'

export const metadata: Metadata = { title: 'The player' }
// SDK_URL is the installation's own, known at run time.
export const dynamic = 'force-dynamic'

const PARAMETERS = [
  ['t', 'start', 'Start time: 90, 90s, 1m30s or 1:30.'],
  ['autoplay', 'autoplay', 'Start automatically. Muted if the browser requires it.'],
  ['muted', 'muted', 'Start muted.'],
  ['loop', 'loop', 'Repeat the video.'],
  ['color', 'color', 'Accent color, as 3 or 6 hexadecimal digits: ff6600. A color that is too dark is lightened.'],
  ['title', 'show-title', '0 hides the title.'],
  ['captions', 'captions', 'Language of the captions to show from the start: en. Without captions in it, none are shown.'],
  ['lang', 'lang', 'Language of the player: en, de, es, fr or ja. Default: the language of the browser.'],
] as const

const EVENTS = [
  ['ready', 'Duration and video size are available.'],
  ['play, pause, ended', 'As for a video element.'],
  ['timeupdate, seeked', 'currentTime has changed.'],
  ['volumechange, ratechange', 'The viewer changed the volume or the speed.'],
  ['error', 'The player shows an error message. event.detail contains reason, code and message: see below.'],
] as const

export default function Player() {
  const { SDK_URL } = env()
  const frame = `<iframe src="${SDK_URL}/embed/VIDEO_ID?token=TOKEN" allow="autoplay; fullscreen; picture-in-picture; encrypted-media" style="width: 100%; aspect-ratio: 16 / 9; border: 0"></iframe>`
  const element = `<script async src="${SDK_URL}/player/reelgate-player.js"></script>

<reelgate-player token="TOKEN"></reelgate-player>`
  return (
    <Guide
      href="/docs/player"
      title="The player"
      lead="Embed the player as an iframe or as an element with events. Both require only a playback token."
    >
      <Section id="frame" title="Embed as an iframe">
        <Snippet label="HTML" code={frame} />
        <p>
          The <code>src</code> is the <code>playerUrl</code> of the <a href="/docs/playback">token response</a>. Append parameters with{' '}
          <code>&amp;</code>.
        </p>
      </Section>
      <Section id="element" title="Embed as an element">
        <p>
          The script has 2 KB. The element fills the available width and uses the aspect ratio of the video, unless you set a height.{' '}
          <code>video-id</code> is optional: by default, the player uses the video of the token.
        </p>
        <Snippet label="HTML" code={element} />
        <p>
          It has <code>play()</code>, <code>pause()</code>, <code>currentTime</code>, <code>duration</code>, <code>paused</code>,{' '}
          <code>ended</code>, <code>muted</code>, <code>volume</code> and <code>playbackRate</code>. Setting a new <code>token</code>{' '}
          reloads the player.
        </p>
        <Snippet label="JavaScript" code={EVENTS_PROGRAM} />
        <p>
          A video whose pages of the player fail again and again loads later each time, up to a minute, until it plays or the element gets
          another video.
        </p>
        <Table
          label="Events"
          rows={EVENTS}
          keyOf={([name]) => name}
          columns={[
            { title: 'Event', cell: ([name]) => <code>{name}</code>, phone: 'wide' },
            { title: 'Sent when', cell: ([, when]) => when, phone: 'wide' },
          ]}
        />
      </Section>
      <Section id="errors" title="Errors of the player">
        <p>
          <code>code</code> is the code of the API where the service refused a request, otherwise <code>PLAYER_</code> and the reason, such
          as <code>PLAYER_STOPPED</code>. Compare it or <code>reason</code>, and not <code>message</code>, which is in the language of the
          player.
        </p>
        <Table
          label="Errors of the player"
          rows={Object.entries(PLAYER_ERRORS)}
          keyOf={([reason]) => reason}
          columns={[
            { title: 'Reason', cell: ([reason]) => <code>{reason}</code> },
            {
              title: 'Code',
              cell: ([, { codes }]) => (
                <span style={{ whiteSpace: 'normal' }}>
                  {codes.map((code) => (
                    <code key={code} style={{ display: 'block' }}>
                      {code}
                    </code>
                  ))}
                </span>
              ),
              phone: 'wide',
            },
            { title: 'Meaning', cell: ([, { meaning }]) => <span style={{ whiteSpace: 'normal' }}>{meaning}</span>, phone: 'wide' },
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
            { title: 'Description', cell: ([, , does]) => does, phone: 'wide' },
          ]}
        />
        <p>A flag is on if it is present, unless its value is 0 or false.</p>
      </Section>
      <Section id="languages" title="Languages">
        <p>
          The controls and messages of the player are in English, German, Spanish, French and Japanese. The player uses the first of these
          languages in the language settings of the browser, and English if it has none of them. <code>lang</code> overrides this; a
          regional language such as <code>de-AT</code> selects German. The <code>message</code> of an <code>error</code> event is in the
          same language, so compare <code>reason</code> or <code>code</code> instead.
        </p>
      </Section>
      <Section id="sites" title="Allowed sites">
        <p>
          By default, you can embed the player on any site. Owners can restrict it to specific domains under <b>Settings</b> in the
          dashboard. Browsers then do not show the player on other sites, even with a valid token.
        </p>
      </Section>
      <Section id="keys" title="Keyboard shortcuts">
        <p>
          Space or K: play or pause. Left and right arrow: seek. Up and down arrow: volume. M: mute. C: captions. F: full screen. P:
          picture-in-picture, if the browser supports it.
        </p>
      </Section>
      <Section id="pauses" title="Long sessions">
        <p>
          The token is used once, within five minutes. After that, the open player renews its session automatically for up to one day, so
          playback can continue after a long pause or while offline for some time. If the video is deleted, playback stops at the end of the
          browser’s buffer.
        </p>
      </Section>
      <Section id="reports" title="Viewing reports">
        <p>
          The player reports startup time, watch time, buffering and errors for the charts on the page of a video. The reports do not
          identify viewers, and the player sets no cookies.
        </p>
        <p>
          They also show that the playback session is active, and the height of the picture. The page of the video lists active sessions by
          the id of their playback token. This list is deleted 15 minutes after the last activity.
        </p>
      </Section>
    </Guide>
  )
}
