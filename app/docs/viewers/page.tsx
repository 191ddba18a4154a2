import type { Metadata } from 'next'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'

export const metadata: Metadata = { title: 'Viewer analytics' }

const COUNTED = [
  {
    what: 'Play',
    when: 'Once for each viewing: when the first picture is shown after the page was loaded. Playing again after a reload is another play.',
  },
  { what: 'Minutes watched', when: 'While the picture moves. Pauses, waits for data and skipped parts do not count.' },
  { what: 'Country', when: 'Of the IP address of the first report. It is looked up in a database on the server, and then discarded.' },
  {
    what: 'Device, browser, system',
    when: 'From the User-Agent header. An iPad that asks for the desktop version of a site counts as a computer with macOS.',
  },
  {
    what: 'Embedding page',
    when: 'The domain of the outermost page around the player, without path and query. “Opened directly”: the player is a page of its own.',
  },
  { what: 'Quality watched', when: 'Minutes by the rendition whose picture was shown.' },
  { what: 'Completion', when: 'Viewings that played the part at a quarter, half and three quarters of the video, and its last twentieth.' },
  { what: 'Watching now', when: 'Playback sessions that were active in the last minute, in any player.' },
]

export default function ViewerAnalytics() {
  return (
    <Guide
      href="/docs/viewers"
      title="Viewer analytics"
      lead="The dashboard shows how many people watch your videos, where, on which devices, and how far, without cookies and without storing who they are."
    >
      <Section id="where" title="Where to find it">
        <p>
          <a href="/viewers">Viewers</a> shows all videos of the account, with the most played ones and those that are watched now. The same
          numbers for one video are on its page, under <b>Viewing</b>. Each period is compared with the period of the same length before it.
          You can export the page as CSV. Every member can see it.
        </p>
      </Section>
      <Section id="counted" title="What is counted, and when">
        <Table
          label="What is counted, and when"
          rows={COUNTED}
          keyOf={({ what }) => what}
          columns={[
            { title: 'Number', cell: ({ what }) => what, phone: 'wide' },
            { title: 'Counted', cell: ({ when }) => when, phone: 'wide' },
          ]}
        />
        <p>
          Days are in UTC. A viewing that goes on past midnight is a play of the day on which it began; its minutes count for the days on
          which they were watched. The player reports at the start, every 30 seconds, when it pauses and when the page is left. Reports are
          written once per second. A process that is killed loses those of its last second.
        </p>
        <p>
          Of a video, 100 embedding pages a day are counted by name, and 500 of an account; further ones are shown as “Other pages”. The
          sums include them.
        </p>
      </Section>
      <Section id="excluded" title="What is not counted">
        <ul>
          <li>Previews in the dashboard.</li>
          <li>
            Playback with tokens of a <a href="/docs/testing">test key</a>.
          </li>
          <li>
            Other players than the embed player: they send no reports. They are included in <b>Watching now</b> while they request playlists
            and keys, and their tokens in <a href="/docs/request-log#usage">Usage</a>. Your own player can send the same reports: POST JSON
            to <code>/embed/VIDEO_ID/beacon</code> with the permit from the path of its playlists.
          </li>
          <li>Viewers whose browser or network blocks the reports.</li>
        </ul>
      </Section>
      <Section id="privacy" title="Privacy">
        <p>
          The player sets no cookie and stores no identifier of a viewer in the browser. It generates a random number each time the page is
          loaded, so that a viewing counts once. A hash of it is stored for a day, without any other data. IP address and User-Agent are
          used to find country, device, browser and system while a report is received, and are not stored with it. What is stored are sums
          by day: “14 plays from Germany”. No row belongs to one viewer, unless a day has only one.
        </p>
        <p>
          Sums are deleted with the video or the account, and after the retention period that the operator has set. The total of plays and
          the sums of an account include videos that were deleted since.
        </p>
        <p>
          Countries are found with the IP to Country Lite database by <a href="https://db-ip.com">DB-IP</a>, licensed under CC BY 4.0. It is
          part of the service; no address is sent to anyone. Operators can use a newer one with the setting <code>COUNTRY_DATABASE</code>.
          Countries of mobile networks and VPNs can be wrong.
        </p>
      </Section>
    </Guide>
  )
}
