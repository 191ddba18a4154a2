import type { Metadata } from 'next'
import { ENDED_LINK_DAYS } from '#server/modules/sharing/prune-links'
import { MAX_SHARE_LINKS } from '#server/modules/sharing/schema'
import { env } from '#server/platform/config'
import { Guide, Section } from '../_parts/Guide'
import { Snippet } from '../_parts/Snippet'

export const metadata: Metadata = { title: 'Share and embed' }
// Addresses are the installation's own, known at run time.
export const dynamic = 'force-dynamic'

export default function Sharing() {
  const { SDK_URL } = env()
  const frame = `<iframe src="${SDK_URL}/embed/VIDEO_ID?token=<PLAYBACK_TOKEN>&amp;autoplay=1&amp;muted=1&amp;t=1:30"
  allow="autoplay; fullscreen; picture-in-picture; encrypted-media"
  style="width: 100%; aspect-ratio: 16 / 9; border: 0"></iframe>`
  return (
    <Guide
      href="/docs/sharing"
      title="Share and embed"
      lead="Send a link to a reviewer without writing code, or build the code that embeds the player in your site."
    >
      <Section id="links" title="Share links">
        <p>
          Open a video in the dashboard and choose <b>Share</b>. A share link opens a page with the player. Anyone who has the link can
          watch this video, without an API key and without an account. Owners and developers create and revoke links; every member sees the
          list.
        </p>
        <p>
          A link expires after one hour to one year, as you choose, and can have a maximum of views. It is shown once, because only its hash
          is stored. The list has its name, its state, its views, who created it and when it expires. A video can have {MAX_SHARE_LINKS}{' '}
          links that work; one that ended is listed for {ENDED_LINK_DAYS} days more. The <a href="/docs/team">audit log</a> records each
          link that is created or revoked.
        </p>
      </Section>
      <Section id="views" title="What counts as a view">
        <p>
          A view begins when the viewer starts to play. Programs that only read the page, such as the preview of a chat app, do not count.
          Each view is one playback session: its token is exchanged once, so that the address of the player opens nothing for anyone else.
          Playing again after a reload is another view. Views of share links use no quota and no credit. They are in the <b>Viewing</b>{' '}
          charts of the video, like other views of the player. Each network address can begin 30 views at once, then one every four seconds.
        </p>
      </Section>
      <Section id="revoke" title="When a link ends">
        <p>
          Revoking a link, or its expiry, ends what it opened: playlists and decryption keys are refused from that moment, also for a view
          that began a second earlier, and the player stops within 30 seconds. Other links and your own playback tokens go on. Deleting the
          video, a take-down or the suspension of the account has the same effect. Reaching the maximum of views ends nothing that plays.
        </p>
      </Section>
      <Section id="previews" title="Previews of links in other apps">
        <p>
          Search engines are asked not to list the page (<code>noindex</code>). It names neither title nor poster to programs that read it,
          unless you check <b>Show title and poster in link previews</b>. A chat app then stores both, and may keep them after the link has
          ended.
        </p>
      </Section>
      <Section id="embed" title="The embed builder">
        <p>
          <b>Customize embed</b>, on the page of a video, shows the player with your choices and the code for it, as an iframe and as an
          element: autoplay, muted, loop, title, start time, accent color, language, captions, and a fixed or responsive size. The
          parameters are those of <a href="/docs/player#parameters">the player</a>.
        </p>
        <Snippet label="HTML" code={frame} />
        <p>
          Your backend replaces <code>{'<PLAYBACK_TOKEN>'}</code> for each viewer by a token that it{' '}
          <a href="/docs/playback">requests with its API key</a>. A token can be used for five minutes, so it does not belong in a page that
          is stored. The attribute <code>allow</code> lets the player start automatically, use the full screen and pictures in pictures.
        </p>
      </Section>
    </Guide>
  )
}
