import { notFoundReply } from '#server/http/route'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = notFoundReply()
