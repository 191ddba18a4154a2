import { expect, test } from 'vitest'
import type { Draft } from './drafts'
import { type UploadValues, uploadErrors, uploadsOf } from './upload-form'

const draft = (title: string, begun?: Draft['begun']) => ({
  key: title,
  file: new File(['x'], `${title}.mp4`),
  title,
  ...(begun && { begun }),
})
const values = (drafts: UploadValues['drafts'], description = ''): UploadValues => ({
  drafts,
  description,
  targetQuality: '720p',
  captions: 'de',
  encrypted: false,
})
const found = (form: UploadValues) => Object.fromEntries(Object.entries(uploadErrors(form)).filter(([, message]) => message))

const BEGUN = { title: '', description: 'As it was', targetQuality: '1080p', captions: '', encrypted: 'true' }

test('each title has its own error; no file is an error as well', () => {
  expect(found(values([]))).toEqual({ drafts: 'Choose a video file.' })
  expect(found(values([draft('One'), draft(' ')]))).toEqual({ 'drafts.1.title': 'Enter a title.' })
  expect(found(values([draft('One')], 'd'.repeat(5_001)))).toEqual({ description: 'A description can have at most 5,000 characters.' })
})

test('several files share no description, and an upload that was begun keeps its details', () => {
  const one = { title: 'One', description: 'Both', targetQuality: '720p', captions: 'de', encrypted: 'false' }
  expect(uploadsOf(values([draft(' One ')], 'Both ')).map(({ details }) => details)).toEqual([one])
  const several = values([draft('One'), draft('', BEGUN)], 'd'.repeat(5_001))
  expect(found(several)).toEqual({})
  expect(uploadsOf(several).map(({ details }) => details)).toEqual([{ ...one, description: '' }, BEGUN])
})
