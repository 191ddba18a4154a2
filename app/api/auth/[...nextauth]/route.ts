import { handle } from './handle'

async function handler(request: Request, context: { params: Promise<{ nextauth: string[] }> }): Promise<Response> {
  return handle(request, (await context.params).nextauth)
}

export { handler as GET, handler as POST }
