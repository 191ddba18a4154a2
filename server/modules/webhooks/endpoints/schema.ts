import { z } from 'zod'
import { EVENT_TYPES, EVENTS, type EventPayload, type EventType } from '../../../events.ts'
import { isStorable, moment, NOT_STORABLE, oneLine, pagination, text } from '../../../platform/text/schema.ts'
import { DEFAULT_SCHEDULE, RETRY_SCHEDULES, type RetrySchedule } from './state.ts'

/** Maximum number of endpoints per account. */
export const MAX_ENDPOINTS = 50

const id = z.string().min(1).max(64).refine(isStorable, 'This is not a valid ID.')

export const eventType = z.enum(EVENT_TYPES, 'Choose one of the event types.')

const fields = {
  url: z
    .string('Enter the URL of your receiver.')
    .trim()
    .max(2_000, 'A URL can have at most 2,000 characters.')
    .refine(isStorable, NOT_STORABLE),
  description: oneLine(text().trim().max(200, 'A description can have at most 200 characters.')).default(''),
  events: z
    .array(eventType)
    .min(1, 'Choose at least one event.')
    .transform((types) => [...new Set(types)]),
  retrySchedule: z.enum(Object.keys(RETRY_SCHEDULES) as RetrySchedule[], 'Choose one of the retry schedules.').default(DEFAULT_SCHEDULE),
}

export const createEndpointInput = z.object(fields)
export type CreateEndpointInput = z.output<typeof createEndpointInput>

export const endpointIdInput = z.object({ endpointId: id })
export type EndpointIdInput = z.output<typeof endpointIdInput>

export const editEndpointInput = endpointIdInput.extend({
  ...fields,
  /** The values that the caller saw. The change is refused if the endpoint differs from them. */
  expected: z.object({ url: z.string(), description: z.string(), events: z.array(z.string()), retrySchedule: z.string() }),
})
export type EditEndpointInput = z.output<typeof editEndpointInput>

export const sendTestInput = endpointIdInput.extend({ type: eventType })
export type SendTestInput = z.output<typeof sendTestInput>

export const deliveryInput = endpointIdInput.extend({ eventId: id })
export type DeliveryInput = z.output<typeof deliveryInput>

export const deliveryStatus = z.enum(['PENDING', 'DELIVERED', 'DEAD'])

/** `nextCursor` of the previous page. */
const cursor = z.string().max(200).optional()

export const deliveriesInput = endpointIdInput.extend({ status: deliveryStatus.optional(), cursor })
export type DeliveriesInput = z.output<typeof deliveriesInput>

export const replaySinceInput = endpointIdInput.extend({
  /** `failed`: dead deliveries. `missing`: events of its types without a delivery. */
  which: z.enum(['failed', 'missing']),
  since: moment('Choose a start time.'),
})
export type ReplaySinceInput = z.output<typeof replaySinceInput>

export const eventLogInput = z.object({ type: eventType.optional(), cursor })
export type EventLogInput = z.output<typeof eventLogInput>

export const eventIdInput = z.object({ eventId: id })

/** Maximum number of events in one response, and of seconds that a request waits for one. */
export const [MAX_STREAM_PAGE, MAX_STREAM_WAIT_SEC] = [100, 25]

export const streamQuery = z.object({
  cursor: z.string().max(60).optional().meta({
    description: '`pagination.nextCursor` of the previous page, or `pagination.position`. Without it, you get events from now on.',
  }),
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(MAX_STREAM_WAIT_SEC)
    .default(0)
    .meta({ description: `Seconds to wait if there is no event yet, at most ${MAX_STREAM_WAIT_SEC}.` }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_STREAM_PAGE)
    .default(MAX_STREAM_PAGE)
    .meta({ description: 'Maximum number of events in one response.' }),
})

export const streamExtra = z.object({
  pagination: pagination
    .extend({
      position: z.string().meta({ description: '`cursor` for later events, even after the last page.' }),
    })
    .meta({ examples: [{ nextCursor: null, hasMore: false, position: '884107.1207' }] }),
  listenSecret: z
    .string()
    .optional()
    .meta({
      description:
        'Only without `cursor`: the secret that `reelgate listen` signs forwarded events with, one for each account. Webhook endpoints have their own secrets.',
      examples: ['whsec_SECRET'],
    }),
})

const sameAs = (name: string) => ({ description: `Repeats \`${name}\`, for tools that expect this name.`, 'x-additive': true })

const variants = EVENT_TYPES.map((type) =>
  z
    .object({
      eventId: z
        .string()
        .meta({ description: 'Unique ID, the same in every delivery of the event.', examples: ['evt_7NcYvQ2mTqGkD4xJrW9bLa'] }),
      eventType: z.literal(type),
      createdAt: z.iso.datetime().meta({ description: 'ISO 8601 UTC.' }),
      data: EVENTS[type].data,
      id: z.string().meta(sameAs('eventId')),
      type: z.literal(type).meta(sameAs('eventType')),
    })
    .meta({ id: eventSchemaName(type), description: EVENTS[type].fires, examples: [sampleEvent(type)] }),
)

/** Returns the name of an event's schema in the API's description, such as `WalletRefilledEvent`. */
function eventSchemaName(type: EventType): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return `${words.join('')}Event`
}

/** Returns a documented example of an event. */
export function sampleEvent<Type extends EventType>(type: Type) {
  const eventId = 'evt_7NcYvQ2mTqGkD4xJrW9bLa'
  return { eventId, eventType: type, createdAt: '2026-11-21T09:03:12.000Z', data: EVENTS[type].sample, id: eventId, type }
}

/** Returns the schema of an event of one type. */
export const eventSchemaOf = (type: EventType): z.ZodObject => variants[EVENT_TYPES.indexOf(type)] as z.ZodObject

/** An event as sent to receivers (specification §6.3). */
export const event = z.discriminatedUnion('eventType', variants as unknown as [(typeof variants)[number]]).meta({
  id: 'Event',
  description: 'An event of the account, in the same format as a webhook.',
  examples: [sampleEvent('video.processing.completed')],
}) as unknown as z.ZodType<EventPayload>

export const triggerParams = z.object({
  eventType: z.string().meta({ description: 'Type of the sample event.', examples: ['video.processing.completed'], enum: EVENT_TYPES }),
})
