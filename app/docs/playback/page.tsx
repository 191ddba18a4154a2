import type { Metadata } from 'next'
import { Guide, Section } from '../_parts/Guide'
import { Languages } from '../_parts/Languages'
import { Snippet } from '../_parts/Snippet'
import { PROGRAMS, readProgram } from './_parts/programs'

export const metadata: Metadata = { title: 'Playback from a backend' }

const FRAME = `<iframe
  src="PLAYER_URL"
  allow="autoplay; fullscreen; picture-in-picture; encrypted-media"
  style="width: 100%; aspect-ratio: 16 / 9; border: 0"
></iframe>`

const EXCHANGE = `curl -s "$REELGATE_URL/v1/video/playback/manifest/$TOKEN"`

const MANIFEST = `{
  "success": true,
  "data": {
    "masterPlaylistUrl": "https://cdn.example.com/cdn/hls/…/master.m3u8",
    "qualities": ["1080p", "720p", "480p", "360p", "240p"],
    "encrypted": true,
    "expiresAt": "2026-11-21T10:05:00.000Z",
    "sessionExpiresAt": "2026-11-21T16:00:00.000Z"
  }
}`

export default function Playback() {
  const programs = PROGRAMS.map(({ language, file }) => ({
    language,
    program: <Snippet label={file} code={readProgram(file)} />,
  }))
  return (
    <Guide
      href="/docs/playback"
      title="Playback from a backend"
      lead="Your server decides who may watch and asks for a token; the viewer’s browser only ever sees the token."
    >
      <Section id="flow" title="How it goes">
        <ol>
          <li>A viewer opens your page. Your server decides whether this viewer may watch this video.</li>
          <li>Your server asks for a playback token with its API key.</li>
          <li>
            The page it sends holds <code>playerUrl</code> in an iframe, or gives the token to a player of yours.
          </li>
          <li>The player exchanges the token for the manifest and plays.</li>
        </ol>
        <p>
          Ask when the viewer opens the page, once for each viewing. Never put a page with a token into a shared cache, and never send the
          API key to a browser: the key’s answers cannot be read from one anyway.
        </p>
      </Section>
      <Section id="server" title="On your server">
        <p>
          Set <code>REELGATE_URL</code>, <code>REELGATE_API_KEY</code> and <code>VIDEO_ID</code>; each program prints a player’s address.
        </p>
        <Languages programs={programs} />
        <p>
          In TypeScript there is also a <a href="/docs/sdk">client</a>.
        </p>
      </Section>
      <Section id="page" title="On your page">
        <Snippet label="HTML" code={FRAME} />
        <p>
          The player says by itself when a token has expired or is not valid. Then issue a new one: reload the page, or set a new{' '}
          <code>src</code>. <a href="/docs/player">The player</a> takes parameters, and is there as an element with events too.
        </p>
      </Section>
      <Section id="own-player" title="With a player of your own">
        <p>
          Any HLS player works: hls.js, Video.js, Shaka, AVPlayer, ExoPlayer. Exchange the token, from the browser or your server, and give
          the player <code>masterPlaylistUrl</code>.
        </p>
        <Snippet label="Shell" code={EXCHANGE} />
        <Snippet label="Answer" code={MANIFEST} />
        <ul>
          <li>
            The exchange answers any origin. With <code>?videoId=</code> it refuses the token of another video.
          </li>
          <li>
            Playlists work until <code>sessionExpiresAt</code>, long enough for the film and pauses. Addresses of keys inside them are
            signed afresh each time a playlist is served and last some minutes; players that load the playlist again get new ones.
          </li>
          <li>
            A page that stays open longer asks for <code>session.json</code> beside the master playlist: <code>renewed</code> holds the same
            session’s next <code>masterPlaylistUrl</code> and its <code>lifetimeSec</code>, for a day after the exchange, and also when the
            session has just run out.
          </li>
          <li>
            A session that its owner ended is refused with <a href="/docs/errors#PLAYBACK_TOKEN_EXPIRED">PLAYBACK_TOKEN_EXPIRED</a> and{' '}
            <code>details.reason</code> <code>PLAYBACK_ENDED</code>: playlists, keys and <code>session.json</code>. Do not exchange the
            token again by program.
          </li>
          <li>
            Segments are AES-128 encrypted, and any HLS player decrypts them. Do not store addresses from a manifest: they are for this
            viewing.
          </li>
        </ul>
      </Section>
      <Section id="refusals" title="What can be refused">
        <ul>
          <li>
            <a href="/docs/errors#VIDEO_NOT_READY">VIDEO_NOT_READY</a>: still being transcoded. Show that, and ask again later.
          </li>
          <li>
            <a href="/docs/errors#VIDEO_NOT_FOUND">VIDEO_NOT_FOUND</a>: deleted, or not yours.
          </li>
          <li>
            <a href="/docs/errors#RATE_LIMIT_EXCEEDED">RATE_LIMIT_EXCEEDED</a>: the key’s quota is used up until UTC midnight. Do not retry.
          </li>
          <li>
            <a href="/docs/errors#SERVICE_UNAVAILABLE">SERVICE_UNAVAILABLE</a>: retry after <code>Retry-After</code> seconds, with an{' '}
            <a href="/docs/limits#retries">Idempotency-Key</a>.
          </li>
        </ul>
      </Section>
    </Guide>
  )
}
