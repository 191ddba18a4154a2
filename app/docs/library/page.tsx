import type { Metadata } from 'next'
import { MAX_BULK_VIDEOS } from '#server/modules/library/bulk-schema'
import { MAX_SAVED_FILTERS } from '#server/modules/library/filter-schema'
import { Table } from '../../_ui/Table'
import { Guide, Section } from '../_parts/Guide'

export const metadata: Metadata = { title: 'The library' }

const ACTIONS = [
  ['Add to collection', 'Adds the videos to a collection, or to a new one.', 'Removes those that were not in it before.'],
  ['Move', 'In the list of a collection: adds the videos to another one and removes them from this one.', 'Moves them back.'],
  ['Remove', 'In the list of a collection: removes the videos from it. They are not deleted.', 'Adds them again.'],
  ['Delete', 'Deletes the videos. They can be restored for 7 days.', 'Restores them.'],
  ['Restore', 'In the list of deleted videos: restores them.', 'Deletes them again.'],
  ['Retry', 'In the list of failed videos: transcodes them again.', 'None.'],
  ['Export CSV', 'Saves id, title, status, size, collections, metadata and times.', 'None.'],
] as const

export default function Library() {
  return (
    <Guide href="/docs/library" title="The library" lead="Find videos in the dashboard, and change many of them at once.">
      <Section id="filters" title="Filters">
        <p>
          The list combines a status, a collection, up to five names of metadata, an external ID, days of creation in UTC, and a part of the
          title. They are the filters of <a href="/docs/finding">the API</a>, and find the same videos. The address of the page holds them:
          bookmark it, or send it to a colleague. Tags below a title show collections and metadata; choose one to see all videos that have
          it.
        </p>
        <p>
          <b>Saved filters</b> keeps a filter with its order under a name, for you or for the whole team, up to {MAX_SAVED_FILTERS} each.{' '}
          <b>Table</b>, <b>Grid</b> and <b>Compact</b> change how much of each video is shown.
        </p>
      </Section>
      <Section id="select" title="Select videos">
        <p>
          Use the boxes of the list. Shift selects all videos between two boxes, by mouse and by keyboard, and Escape clears the selection.
          When all loaded videos are selected, <b>Select all that match</b> extends the selection to the videos that are not loaded, up to{' '}
          {MAX_BULK_VIDEOS.toLocaleString('en')}.
        </p>
      </Section>
      <Section id="actions" title="Bulk actions">
        <Table
          label="Bulk actions"
          rows={ACTIONS}
          keyOf={([name]) => name}
          columns={[
            { title: 'Action', cell: ([name]) => <b>{name}</b>, phone: 'wide' },
            { title: 'Effect', cell: ([, effect]) => effect, phone: 'wide' },
            { title: 'Undo', cell: ([, , undo]) => undo, phone: 'wide' },
          ]}
        />
        <p>
          An action is for the videos that matched when you confirmed it. Videos that are uploaded later are not part of it, and it is
          refused if more videos match than you were shown. A worker changes one video after the other, with the same rules, webhook events
          and <a href="/docs/team">audit entries</a> as a change of a single video. You can leave the page: every member sees the progress,
          and can cancel it if their role permits. Videos that were refused are listed with the reason; the others are changed. An account
          has one running action at a time. Long actions take turns with those of other accounts. <b>Undo</b> leaves what happened since: a
          video that you restored and deleted again stays deleted.
        </p>
      </Section>
    </Guide>
  )
}
