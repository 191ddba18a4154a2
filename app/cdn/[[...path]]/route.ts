import { nothingHere } from '#server/rest/route'

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = nothingHere()
