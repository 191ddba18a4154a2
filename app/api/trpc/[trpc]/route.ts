import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { contextFrom } from '#server/trpc/context'
import { appRouter } from '#server/trpc/root'

const handler = (request: Request) =>
  fetchRequestHandler({ endpoint: '/api/trpc', req: request, router: appRouter, createContext: () => contextFrom(request.headers) })

export { handler as GET, handler as POST }
