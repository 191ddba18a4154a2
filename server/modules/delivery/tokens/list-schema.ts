import { z } from 'zod'
import { filterQuery } from '../../videos/list/filter-schema.ts'
import { listQuery } from '../../videos/schema.ts'
import { expandQuery } from './expanded-schema.ts'

const SHAPE = { ...listQuery.shape, ...expandQuery.shape, ...filterQuery.shape }
const isKnown = (name: string) => Object.hasOwn(SHAPE, name)

/** Returns whether a query has a parameter of the list, which makes the answer a page. */
export const isPage = (query: object): boolean => Object.keys(query).some(isKnown)

/** Query of `GET /v1/video`. A parameter that is not one of the list is ignored alone, as ever, and refused next to one of the list. */
export const videosQuery = z.looseObject(SHAPE).superRefine((query, ctx) => {
  if (!isPage(query)) return
  for (const name of Object.keys(query))
    if (!isKnown(name)) ctx.addIssue({ code: 'custom', path: [name], message: `Unknown parameter. Use ${Object.keys(SHAPE).join(', ')}.` })
})
