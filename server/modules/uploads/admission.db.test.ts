import { promises } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { expect, it, onTestFinished, vi } from 'vitest'
import { newId } from '../../platform/secrets/crypto.ts'
import { testDatabase } from '../../testing/database.ts'
import { makeAccount } from '../../testing/make.ts'
import { admitUpload } from './admission.ts'
import { uploadFolder, uploadPath } from './resumable/folder.ts'

await testDatabase()

it('looks up the files of open uploads alone, however many were completed within the day', async () => {
  const ctx = await makeAccount()
  const [completed, open] = [newId('upl'), newId('upl')]
  await mkdir(uploadFolder(), { recursive: true })
  await writeFile(`${uploadPath(completed)}.json`, '{}')
  await admitUpload(ctx, { id: open, size: 10 })
  const spy = vi.spyOn(promises, 'stat')
  syncBuiltinESMExports()
  onTestFinished(() => {
    spy.mockRestore()
    syncBuiltinESMExports()
  })
  await admitUpload(ctx, { id: newId('upl'), size: 10 })
  const paths = spy.mock.calls.map(([path]) => String(path))
  expect(paths.filter((path) => path.includes(completed))).toEqual([])
  expect(paths).toContain(uploadPath(open))
})
