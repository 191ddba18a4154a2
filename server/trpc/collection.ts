import {
  addToCollection,
  allCollections,
  createCollection,
  deleteCollection,
  removeFromCollection,
  renameCollection,
} from '../modules/videos/collections/collections.ts'
import { collectionInput, collectionParams, memberParams, renameCollectionInput } from '../modules/videos/collections/schema.ts'
import { procedure, router } from './init.ts'

export const collectionRouter = router({
  list: procedure.query(({ ctx }) => allCollections(ctx.account)),
  create: procedure.input(collectionInput).mutation(({ ctx, input }) => createCollection(ctx.account, input)),
  rename: procedure.input(renameCollectionInput).mutation(({ ctx, input }) => renameCollection(ctx.account, input)),
  remove: procedure.input(collectionParams).mutation(({ ctx, input }) => deleteCollection(ctx.account, input)),
  add: procedure.input(memberParams).mutation(({ ctx, input }) => addToCollection(ctx.account, input)),
  take: procedure.input(memberParams).mutation(({ ctx, input }) => removeFromCollection(ctx.account, input)),
})
