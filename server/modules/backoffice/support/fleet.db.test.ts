import { beforeAll, expect, it } from 'vitest'
import { requireUser } from '../../../context.ts'
import { testDatabase } from '../../../testing/database.ts'
import { makeAccount } from '../../../testing/make.ts'
import { makeQueued, makeWorker } from '../../../testing/media/transcode-rows.ts'
import { makeStaff, revokeSupport } from '../../../testing/staff.ts'
import { getProcessing } from '../../transcoding/tasks/read-processing.ts'
import { supportFleet } from './account-pages.ts'
import { requireStaff, type StaffCtx } from './staff.ts'
import { supportVideo } from './videos.ts'

await testDatabase()
const person = await makeAccount()
let staff: StaffCtx
beforeAll(async () => {
  await makeStaff(person)
  staff = await requireStaff(person, 'req_test')
  await makeWorker('prc_here', 'host-a')
})

it('supportVideo names processes, machines and stored causes, which the owner does not see', async () => {
  const owner = await makeAccount()
  const begun = { startedAt: new Date(), leasedUntil: new Date(Date.now() + 60_000) }
  const videoId = await makeQueued(owner, {
    tasks: [
      { kind: 'video', position: 0, ...begun, worker: 'prc_here' },
      { kind: 'video', position: 1, ...begun, worker: 'prc_ended', failures: 1, cause: 'EACCES: /srv/media' },
    ],
  })
  const { accountId } = owner
  const { processing, workers, causes } = await supportVideo(staff, { accountId, videoId })
  expect(workers).toEqual([
    { label: 'worker 1', process: 'prc_here', host: 'host-a' },
    { label: 'worker 2', process: 'prc_ended', host: null },
  ])
  expect(causes).toEqual([{ kind: 'video', position: 1, cause: 'EACCES: /srv/media' }])
  const shown = await getProcessing(owner, { videoId })
  expect(shown.chunks.map(({ worker }) => worker)).toEqual(['worker 1', 'worker 2'])
  expect(processing).toEqual(shown)
  expect(JSON.stringify(shown)).not.toMatch(/prc_|host-a|EACCES/)
})

it('supportFleet is refused without the role', async () => {
  expect((await supportFleet(staff)).workers).not.toHaveLength(0)
  await revokeSupport({ email: requireUser(person).email })
  await expect(supportFleet(staff)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
