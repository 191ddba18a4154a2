import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { fieldErrors, formMessage } from './form/form-errors.ts'
import { schemaErrors } from './form/schema-errors.ts'

/** Forms whose input is only compared and never sent. */
const SENDS_NOTHING = [
  'app/(dashboard)/api-keys/_parts/RevokeDialog.tsx',
  'app/(dashboard)/viewers/people/[reference]/_parts/EraseDialog.tsx',
]
/** A form whose input changes only what its page edits. */
const EDITS_PAGE = 'app/(dashboard)/videos/[videoId]/captions/[language]/_parts/ShiftDialog.tsx'
/** Functions of forms in several files; each validates with a schema of the server, or a file against its limits. */
const SHARED_CHECK = /validate:.*\b(?:limitErrors|metadataErrors|problemWith|uploadErrors)\b/

const forms = globSync('app/**/*.tsx')
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }))
  .filter(({ text }) => text.includes('<form'))
const without = (has: (text: string) => boolean) =>
  forms
    .filter(({ text }) => !has(text))
    .map(({ file }) => file)
    .sort()

it('every form uses the form library, validates with a schema of the server and shows errors at the field', () => {
  expect(forms.length).toBeGreaterThan(25)
  const uses = /useForm[<(]/
  const shows = /getInputProps\(|form\.errors|form=\{form\}/
  expect(without((text) => uses.test(text) && shows.test(text) && text.includes('noValidate'))).toEqual([])
  const checks = /schemaResolver\(|schemaErrors\(/
  const schema = /#server\/[\w/-]*schema'/
  expect(without((text) => (checks.test(text) && schema.test(text)) || SHARED_CHECK.test(text))).toEqual(
    [...SENDS_NOTHING, EDITS_PAGE].sort(),
  )
})

it('every form keeps what was entered before the page was live, by the hook of app/_ui/form/use-form.ts', () => {
  const all = globSync('app/**/*.{ts,tsx}').filter((file) => /\buseForm\b[^\n]*from '@mantine\/form'/.test(readFileSync(file, 'utf8')))
  expect(all).toEqual(['app/_ui/form/use-form.ts'])
})

it('every form shows a refusal of the server at the fields it names, and any other above them', () => {
  const sends = (text: string) => text.includes('useMutation(') || text.includes('TrpcError')
  expect(without((text) => !sends(text) || text.includes('<FormError '))).toEqual([])
  expect(without((text) => !sends(text) || text.includes('showAtFields(form)'))).toEqual(SENDS_NOTHING)
})

it('every form whose schema loads on submit is pending until it has validated, so that it is sent once', () => {
  expect(without((text) => !text.includes('lazySchema(') || text.includes('loading={form.submitting || '))).toEqual([])
})

it('the first error of each field is shown, from a schema and from the server alike', () => {
  const schema = z.object({ name: z.string().min(3, 'Short.').regex(/^a/, 'No a.'), list: z.array(z.int('No number.')) })
  const { error } = schema.safeParse({ name: 'b', list: [1, 'x'] })
  expect(schemaErrors({ error })).toEqual({ name: 'Short.', list: 'No number.' })
  expect(schemaErrors(schema.safeParse({ name: 'abc', list: [] }))).toEqual({})
  const details = error?.issues.map(({ path, message }) => ({ in: 'body', path: path.join('.'), message }))
  expect(fieldErrors({ message: 'No.', data: { details } })).toEqual({ name: 'Short.', list: 'No number.' })
})

it('an error that no field of the form shows is shown above the fields', () => {
  const refusal = (...paths: string[]) => ({ message: 'No.', data: { details: paths.map((path) => ({ path, message: `No ${path}.` })) } })
  const fields = ['name']
  expect(formMessage({ message: 'No.' }, fields)).toBe('No.')
  expect(formMessage({ message: 'No.', data: { details: { limit: 100 } } }, fields)).toBe('No.')
  expect(formMessage(refusal('name'), fields)).toBe('')
  expect(formMessage(refusal('name', 'token'), fields)).toBe('No token.')
})
