import { deliveredReport } from '../modules/analytics/delivered/delivered-report.ts'
import { viewersInput } from '../modules/analytics/viewing/viewer-schema.ts'
import { viewersReport } from '../modules/analytics/viewing/viewers-report.ts'
import { viewingReport } from '../modules/analytics/viewing/viewing-report.ts'
import { viewingInput } from '../modules/analytics/viewing/viewing-schema.ts'
import {
  endPerson,
  erasePerson,
  findPerson,
  getPerson,
  listPeople,
  listPersonVideos,
  listWatchers,
  peopleCounts,
} from '../modules/dashboard/people/people.ts'
import {
  findPersonInput,
  peopleCountsInput,
  peopleInput,
  personInput,
  personVideosInput,
  watchersInput,
} from '../modules/dashboard/people/people-schema.ts'
import { previewVideo } from '../modules/delivery/playlists/picture.ts'
import { liveVideos } from '../modules/delivery/sessions/viewers.ts'
import { videoIdInput } from '../modules/videos/schema.ts'
import { procedure, router } from './init.ts'

export const viewingRouter = router({
  preview: procedure.input(videoIdInput).query(({ ctx, input }) => previewVideo(ctx.account, input)),
  report: procedure.input(viewingInput).query(({ ctx, input }) => viewingReport(ctx.account, input)),
  viewers: procedure.input(viewersInput).query(({ ctx, input }) => viewersReport(ctx.account, input)),
  delivered: procedure.input(viewersInput).query(({ ctx, input }) => deliveredReport(ctx.account, input)),
  live: procedure.query(({ ctx }) => liveVideos(ctx.account)),
  people: procedure.input(peopleInput).query(({ ctx, input }) => listPeople(ctx.account, input)),
  peopleCounts: procedure.input(peopleCountsInput).query(({ ctx, input }) => peopleCounts(ctx.account, input)),
  // Sent in the body (app/_trpc/client.tsx): addresses are logged.
  findPerson: procedure.input(findPersonInput).query(({ ctx, input }) => findPerson(ctx.account, input)),
  person: procedure.input(personInput).query(({ ctx, input }) => getPerson(ctx.account, input)),
  personVideos: procedure.input(personVideosInput).query(({ ctx, input }) => listPersonVideos(ctx.account, input)),
  watchers: procedure.input(watchersInput).query(({ ctx, input }) => listWatchers(ctx.account, input)),
  endPerson: procedure.input(personInput).mutation(({ ctx, input }) => endPerson(ctx.account, input)),
  erasePerson: procedure.input(personInput).mutation(({ ctx, input }) => erasePerson(ctx.account, input)),
})
